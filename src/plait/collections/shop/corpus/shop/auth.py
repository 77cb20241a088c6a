"""Passwords and signed tokens."""

import base64
import binascii
import hashlib
import hmac
import json
import os
import sqlite3
import time
from typing import Any

from .database import execute_query

SECRET_KEY = os.environ.get("SHOP_SECRET_KEY", "dev-only-secret").encode()
TOKEN_LIFETIME = 3600
PBKDF2_ROUNDS = 200_000
JWT_HEADER = {"alg": "HS256", "typ": "JWT"}


class AuthError(Exception):
    """Bad credentials, or a token that cannot be trusted."""


def hash_password(password: str, salt: bytes | None = None) -> str:
    """Derive a storable string of the form ``salt$digest``, both in hex."""
    if salt is None:
        salt = os.urandom(16)
    digest = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, PBKDF2_ROUNDS)
    return f"{salt.hex()}${digest.hex()}"


def verify_password(password: str, stored: str) -> bool:
    """Compare a plain password with a stored hash in constant time."""
    salt_hex, _, digest = stored.partition("$")
    if not digest:
        return False
    candidate = hash_password(password, bytes.fromhex(salt_hex))
    return hmac.compare_digest(candidate, stored)


def _sign(message: str) -> str:
    """HMAC-SHA256 under the shop's key, base64url without padding."""
    digest = hmac.new(SECRET_KEY, message.encode(), hashlib.sha256).digest()
    encoded = base64.urlsafe_b64encode(digest)
    return encoded.rstrip(b"=").decode()


def create_jwt_token(user_id: int, now: float | None = None) -> str:
    issued = int(time.time() if now is None else now)
    claims = {"sub": str(user_id), "iat": issued, "exp": issued + TOKEN_LIFETIME}
    segments = []
    for part in (JWT_HEADER, claims):
        raw = json.dumps(part, separators=(",", ":")).encode()
        segments.append(base64.urlsafe_b64encode(raw).rstrip(b"=").decode())
    message = ".".join(segments)
    return f"{message}.{_sign(message)}"


def validate_jwt_token(token: str, now: float | None = None) -> dict[str, Any]:
    """Return the claims of a token; raise AuthError if forged or expired."""
    message, _, signature = token.rpartition(".")
    if not hmac.compare_digest(signature.encode(), _sign(message).encode()):
        raise AuthError("bad token signature")
    try:
        payload = message.split(".")[1]
        padded = payload + "=" * (-len(payload) % 4)
        claims = json.loads(base64.urlsafe_b64decode(padded))
    except (IndexError, binascii.Error, ValueError) as exc:
        raise AuthError("malformed token") from exc
    if claims.get("exp", 0) <= (time.time() if now is None else now):
        raise AuthError("token expired")
    return claims


def login(conn: sqlite3.Connection, email: str, password: str) -> str:
    """Exchange credentials for a bearer token."""
    rows = execute_query(
        conn,
        "SELECT id, password_hash FROM users WHERE email = ?",
        (email.strip().lower(),),
    )
    if not rows or not verify_password(password, rows[0]["password_hash"]):
        raise AuthError("unknown email or wrong password")
    return create_jwt_token(rows[0]["id"])

"""Passwords and tokens."""

import base64
import hashlib
import hmac
import json
import os
import secrets
import time
from typing import Any

from shop.database import execute_query

SECRET = os.environ.get("SHOP_SECRET", "change me").encode()
ROUNDS = 200_000
LIFETIME = 3600


def hash_password(password: str) -> str:
    """Derive a salted digest that is safe to store."""
    salt = secrets.token_bytes(16)
    digest = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)
    return f"{salt.hex()}${digest.hex()}"


def verify_password(password: str, stored: str) -> bool:
    """Compare a password with what hash_password returned for it."""
    salt, _, expected = stored.partition("$")
    digest = hashlib.pbkdf2_hmac("sha256", password.encode(), bytes.fromhex(salt), ROUNDS)
    return hmac.compare_digest(digest.hex(), expected)


def create_jwt_token(user_id: int, role: str) -> str:
    header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()).rstrip(b"=")
    claims = {"sub": user_id, "role": role, "exp": int(time.time()) + LIFETIME, "jti": secrets.token_hex(8)}
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=")
    signature = hmac.new(SECRET, header + b"." + payload, hashlib.sha256).digest()
    return (header + b"." + payload + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode()


def validate_jwt_token(token: str) -> dict[str, Any]:
    """Return the claims of a genuine token that has neither expired nor been revoked.

    Raises PermissionError for any other.
    """
    try:
        signed, _, signature = token.rpartition(".")
        given = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
        payload = signed.partition(".")[2]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except ValueError:
        raise PermissionError("malformed token") from None
    if not hmac.compare_digest(given, hmac.new(SECRET, signed.encode(), hashlib.sha256).digest()):
        raise PermissionError("bad signature")
    if claims["exp"] < time.time():
        raise PermissionError("expired token")
    if execute_query("SELECT 1 FROM revoked WHERE token_id = ?", (claims["jti"],)):
        raise PermissionError("revoked token")
    return claims


def revoke_token(token: str) -> None:
    """Log out: the token is refused from now on."""
    claims = validate_jwt_token(token)
    execute_query("INSERT OR IGNORE INTO revoked VALUES (?, ?)", (claims["jti"], claims["exp"]))


def require_role(token: str, role: str) -> int:
    """Return the id of the caller, or raise PermissionError if the role does not allow the action."""
    claims = validate_jwt_token(token)
    if claims["role"] not in (role, "admin"):
        raise PermissionError(f"only for {role}")
    return claims["sub"]

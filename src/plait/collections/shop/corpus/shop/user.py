"""Customer accounts."""

from __future__ import annotations

import re
import sqlite3

from shop import mail

from .auth import create_jwt_token, hash_password, verify_password
from .database import execute_query, run_in_transaction

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


def register_user(email: str, name: str, password: str) -> int:
    """Create an account and greet its owner; ValueError if the address is taken or not one."""
    if not EMAIL.fullmatch(email):
        raise ValueError(f"not an address: {email}")
    if find_user_by_email(email) is not None:
        raise ValueError(f"already registered: {email}")
    execute_query(
        "INSERT INTO users (email, name, password, active) VALUES (?, ?, ?, 1)",
        (email.lower(), name, hash_password(password)),
    )
    mail.send_email(email, "Welcome", mail.render_template("welcome", name=name))
    return find_user_by_email(email)["id"]


def sign_in(email: str, password: str) -> str:
    """Return a fresh token."""
    user = find_user_by_email(email)
    if user is None or not user["active"] or not verify_password(password, user["password"]):
        raise PermissionError("unknown address or wrong password")
    return create_jwt_token(user["id"], user["role"])


def find_user_by_email(email: str) -> sqlite3.Row | None:
    rows = execute_query("SELECT * FROM users WHERE email = ?", (email.lower(),))
    return rows[0] if rows else None


def update_profile(user_id: int, name: str, email: str) -> None:
    """Change name and address; the old address is told about it."""
    (before,) = execute_query("SELECT email FROM users WHERE id = ?", (user_id,))
    execute_query("UPDATE users SET name = ?, email = ? WHERE id = ?", (name, email.lower(), user_id))
    if before["email"] != email.lower():
        mail.send_email(before["email"], "Your address was changed", mail.render_template("moved", name=name))


def close_account(user_id: int) -> None:
    """Forget the person but keep the rows that bookkeeping needs."""
    run_in_transaction(
        [
            ("UPDATE users SET email = NULL, name = NULL, password = '', active = 0 WHERE id = ?", (user_id,)),
            ("DELETE FROM cart_lines WHERE user_id = ?", (user_id,)),
            ("DELETE FROM cart_coupons WHERE user_id = ?", (user_id,)),
        ]
    )

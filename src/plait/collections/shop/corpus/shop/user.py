"""Customer accounts."""

import sqlite3
from dataclasses import dataclass

from shop import mail
from shop.auth import AuthError, hash_password, validate_jwt_token, verify_password
from shop.database import execute_query

MIN_PASSWORD_LENGTH = 10
WELCOME = "Hello $name,\n\nyour account at the shop is ready.\n"


@dataclass(frozen=True)
class User:
    id: int
    email: str
    name: str
    country: str


def find_user_by_email(conn: sqlite3.Connection, email: str) -> User | None:
    rows = execute_query(
        conn,
        "SELECT id, email, name, country FROM users WHERE email = ?",
        (email.strip().lower(),),
    )
    return User(**dict(rows[0])) if rows else None


def register_user(
    conn: sqlite3.Connection, email: str, name: str, country: str, password: str
) -> User:
    """Open an account; the address must not be taken yet."""
    email = email.strip().lower()
    if "@" not in email:
        raise ValueError(f"not an email address: {email!r}")
    if len(password) < MIN_PASSWORD_LENGTH:
        raise ValueError(f"password needs {MIN_PASSWORD_LENGTH} characters or more")
    if find_user_by_email(conn, email) is not None:
        raise ValueError(f"{email} is already registered")
    rows = execute_query(
        conn,
        "INSERT INTO users (email, name, country, password_hash)"
        " VALUES (?, ?, ?, ?) RETURNING id",
        (email, name, country, hash_password(password)),
    )
    mail.send_email(email, "Welcome", mail.render_template(WELCOME, {"name": name}))
    return User(rows[0]["id"], email, name, country)


def change_password(conn: sqlite3.Connection, token: str, old: str, new: str) -> None:
    """Replace the password of the token's owner, who must know the old one."""
    user_id = int(validate_jwt_token(token)["sub"])
    rows = execute_query(
        conn, "SELECT password_hash FROM users WHERE id = ?", (user_id,)
    )
    if not rows or not verify_password(old, rows[0]["password_hash"]):
        raise AuthError("wrong password")
    if len(new) < MIN_PASSWORD_LENGTH:
        raise ValueError(f"password needs {MIN_PASSWORD_LENGTH} characters or more")
    execute_query(
        conn,
        "UPDATE users SET password_hash = ? WHERE id = ?",
        (hash_password(new), user_id),
    )

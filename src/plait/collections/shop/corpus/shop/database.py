"""SQLite access."""

import os
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

DATABASE = os.environ.get("SHOP_DATABASE", "shop.db")

SCHEMA = """
CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT, password TEXT, role TEXT DEFAULT 'customer', active INTEGER
);
CREATE TABLE IF NOT EXISTS revoked (token_id TEXT PRIMARY KEY, expires INTEGER);
CREATE TABLE IF NOT EXISTS products (id INTEGER PRIMARY KEY, title TEXT, price INTEGER, stock INTEGER);
CREATE TABLE IF NOT EXISTS cart_lines (
    user_id INTEGER, product_id INTEGER, quantity INTEGER, PRIMARY KEY (user_id, product_id)
);
CREATE TABLE IF NOT EXISTS coupons (code TEXT PRIMARY KEY, percent INTEGER, expires INTEGER);
CREATE TABLE IF NOT EXISTS cart_coupons (user_id INTEGER PRIMARY KEY, code TEXT);
CREATE TABLE IF NOT EXISTS payments (
    id TEXT PRIMARY KEY, user_id INTEGER, amount INTEGER, currency TEXT, status TEXT, created INTEGER
);
"""

_connection: sqlite3.Connection | None = None


def connect() -> sqlite3.Connection:
    """Open the file on first use and create missing tables."""
    global _connection
    if _connection is None:
        _connection = sqlite3.connect(DATABASE)
        _connection.row_factory = sqlite3.Row
        _connection.executescript(SCHEMA)
    return _connection


def execute_query(statement: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
    """Run one SQL statement, commit, and return all rows."""
    connection = connect()
    rows = connection.execute(statement, parameters).fetchall()
    connection.commit()
    return rows


def run_in_transaction(statements: Iterable[tuple[str, Sequence[Any]]]) -> list[int]:
    """Run all statements or none; return how many rows each of them changed."""
    connection = connect()
    changed = []
    with connection:
        for statement, parameters in statements:
            changed.append(connection.execute(statement, parameters).rowcount)
    return changed

"""Products and the stock kept of them."""

import re
import sqlite3
import unicodedata
from collections.abc import Iterable

from shop import mail

from .cart import CartLine
from .database import execute_query

WAREHOUSE_EMAIL = "warehouse@shop.example"
LOW_STOCK = 5


class OutOfStock(Exception):
    """Fewer units on hand than an order asks for."""


def make_slug(title: str) -> str:
    """Turn a title into the last part of a product's URL."""
    folded = unicodedata.normalize("NFKD", title)
    plain = folded.encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def search_products(
    conn: sqlite3.Connection, term: str, max_price: int | None = None
) -> list[sqlite3.Row]:
    escaped = term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    sql = "SELECT id, title, slug, price FROM products WHERE title LIKE ? ESCAPE '\\'"
    params: list[str | int] = [f"%{escaped}%"]
    if max_price is not None:
        sql += " AND price <= ?"
        params.append(max_price)
    return execute_query(conn, sql + " ORDER BY price, title", params)


def reserve_stock(conn: sqlite3.Connection, lines: Iterable[CartLine]) -> None:
    """Take the units of every line off the shelf; run inside a transaction."""
    for line in lines:
        updated = execute_query(
            conn,
            "UPDATE products SET stock = stock - ?"
            " WHERE id = ? AND stock >= ? RETURNING id",
            (line.quantity, line.product_id, line.quantity),
        )
        if not updated:
            raise OutOfStock(line.title)


def notify_low_stock(conn: sqlite3.Connection, threshold: int = LOW_STOCK) -> int:
    """Send the warehouse its nightly reorder list; return how many are on it."""
    rows = execute_query(
        conn,
        "SELECT title, stock FROM products WHERE stock <= ? ORDER BY stock",
        (threshold,),
    )
    if rows:
        body = "\n".join(f"{row['stock']:>4}  {row['title']}" for row in rows)
        mail.send_email(WAREHOUSE_EMAIL, f"Reorder {len(rows)} products", body)
    return len(rows)

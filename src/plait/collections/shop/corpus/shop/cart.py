"""Shopping carts, one per user."""

import sqlite3
from dataclasses import dataclass

from .database import execute_query

MAX_PER_LINE = 99


@dataclass(frozen=True)
class CartLine:
    product_id: int
    title: str
    unit_price: int
    quantity: int


def load_cart(conn: sqlite3.Connection, user_id: int) -> list[CartLine]:
    """Return the lines of a cart at current prices."""
    rows = execute_query(
        conn,
        "SELECT p.id AS product_id, p.title, p.price AS unit_price, c.quantity"
        " FROM cart_items AS c JOIN products AS p ON p.id = c.product_id"
        " WHERE c.user_id = ? ORDER BY p.title",
        (user_id,),
    )
    return [CartLine(**dict(row)) for row in rows]


def add_item(
    conn: sqlite3.Connection, user_id: int, product_id: int, quantity: int = 1
) -> list[CartLine]:
    """Add to the line of a product, or open one; return the cart."""
    if not 1 <= quantity <= MAX_PER_LINE:
        raise ValueError(f"quantity must be between 1 and {MAX_PER_LINE}")
    if not execute_query(conn, "SELECT 1 FROM products WHERE id = ?", (product_id,)):
        raise LookupError(f"no product {product_id}")
    execute_query(
        conn,
        "INSERT INTO cart_items (user_id, product_id, quantity) VALUES (?, ?, ?)"
        " ON CONFLICT (user_id, product_id)"
        " DO UPDATE SET quantity = min(quantity + excluded.quantity, ?)",
        (user_id, product_id, quantity, MAX_PER_LINE),
    )
    return load_cart(conn, user_id)


def clear_cart(conn: sqlite3.Connection, user_id: int) -> int:
    removed = execute_query(
        conn,
        "DELETE FROM cart_items WHERE user_id = ? RETURNING product_id",
        (user_id,),
    )
    return len(removed)

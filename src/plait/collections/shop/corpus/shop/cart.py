"""Shopping carts and what is left on the shelf."""

import time
from dataclasses import dataclass

from .database import execute_query, run_in_transaction


@dataclass
class Line:
    product_id: int
    title: str
    price: int
    quantity: int


@dataclass
class Cart:
    user_id: int
    lines: list[Line]
    percent_off: int


def load_cart(user_id: int) -> Cart:
    rows = execute_query(
        "SELECT product_id, title, price, quantity FROM cart_lines JOIN products ON products.id = product_id"
        " WHERE user_id = ? ORDER BY product_id",
        (user_id,),
    )
    coupon = execute_query(
        "SELECT percent FROM cart_coupons JOIN coupons USING (code) WHERE user_id = ? AND expires > ?",
        (user_id, int(time.time())),
    )
    return Cart(user_id, [Line(*row) for row in rows], coupon[0]["percent"] if coupon else 0)


def add_item(user_id: int, product_id: int, quantity: int = 1) -> Cart:
    """Add to the line of a product, or begin one."""
    if quantity < 1:
        raise ValueError("quantity must be positive")
    execute_query(
        "INSERT INTO cart_lines VALUES (?, ?, ?)"
        " ON CONFLICT (user_id, product_id) DO UPDATE SET quantity = quantity + excluded.quantity",
        (user_id, product_id, quantity),
    )
    return load_cart(user_id)


def remove_item(user_id: int, product_id: int) -> Cart:
    execute_query("DELETE FROM cart_lines WHERE user_id = ? AND product_id = ?", (user_id, product_id))
    return load_cart(user_id)


def apply_coupon(user_id: int, code: str) -> Cart:
    """Redeem a code; the last one given counts."""
    if not execute_query("SELECT 1 FROM coupons WHERE code = ? AND expires > ?", (code, int(time.time()))):
        raise ValueError(f"unknown or expired: {code}")
    execute_query("INSERT OR REPLACE INTO cart_coupons VALUES (?, ?)", (user_id, code))
    return load_cart(user_id)


def reserve_stock(cart: Cart) -> None:
    """Take every line off the shelf at once; ValueError, and nothing taken, if one is short."""
    taken = "UPDATE products SET stock = CASE WHEN stock >= ? THEN stock - ? END WHERE id = ?"
    for line in cart.lines:
        (product,) = execute_query("SELECT stock FROM products WHERE id = ?", (line.product_id,))
        if product["stock"] < line.quantity:
            raise ValueError(f"only {product['stock']} left of {line.title}")
    run_in_transaction((taken, (line.quantity, line.quantity, line.product_id)) for line in cart.lines)

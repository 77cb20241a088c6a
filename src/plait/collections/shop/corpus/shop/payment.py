"""Orders and the money side of them. All sums are in cents."""

import hashlib
import hmac
import json
import os
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from shop.cart import CartLine, clear_cart, load_cart
from shop.catalog import reserve_stock
from shop.database import execute_query, transaction
from shop.mail import send_order_confirmation
from shop.user import User

STRIPE_API = "https://api.stripe.com/v1"
STRIPE_KEY = os.environ.get("STRIPE_SECRET_KEY", "")
CURRENCY = "eur"
WEBHOOK_TOLERANCE = 300

TAX_PERCENT = {"AT": 20, "DE": 19, "FR": 20, "NL": 21}
COUPONS = {"WELCOME5": 5, "SPRING10": 10}
BULK_QUANTITY = 10
BULK_PERCENT = 3


class PaymentError(Exception):
    """Stripe declined or rejected a request."""


def calculate_order_total(
    lines: Iterable[CartLine], country: str, coupon: str | None = None
) -> int:
    """Add up line prices, take off discounts, put taxes on top."""
    subtotal = 0
    for line in lines:
        price = line.unit_price * line.quantity
        if line.quantity >= BULK_QUANTITY:
            price -= price * BULK_PERCENT // 100
        subtotal += price
    if coupon is not None:
        subtotal -= subtotal * COUPONS.get(coupon.upper(), 0) // 100
    tax = (subtotal * TAX_PERCENT.get(country, 0) + 50) // 100
    return subtotal + tax


def create_payment_intent(
    amount: int,
    method: str,
    order_id: str,
    opener: Callable[..., Any] = urlopen,
) -> dict[str, Any]:
    """Charge a saved card through Stripe; retries with one order id are safe."""
    fields = {
        "amount": amount,
        "currency": CURRENCY,
        "payment_method": method,
        "confirm": "true",
        "metadata[order_id]": order_id,
    }
    request = Request(f"{STRIPE_API}/payment_intents", urlencode(fields).encode())
    request.add_header("Authorization", f"Bearer {STRIPE_KEY}")
    request.add_header("Idempotency-Key", order_id)
    try:
        with opener(request, timeout=20) as response:
            return json.load(response)
    except HTTPError as exc:
        raise PaymentError(json.load(exc)["error"]["message"]) from exc


def process_checkout(
    conn: sqlite3.Connection,
    user: User,
    method: str,
    coupon: str | None = None,
    opener: Callable[..., Any] = urlopen,
) -> str:
    """Turn the user's cart into a paid order and return its id."""
    lines = load_cart(conn, user.id)
    if not lines:
        raise ValueError("the cart is empty")
    order_id = uuid.uuid4().hex
    total = calculate_order_total(lines, user.country, coupon)
    with transaction(conn):
        reserve_stock(conn, lines)
        sql = "INSERT INTO orders (id, user_id, total) VALUES (?, ?, ?)"
        execute_query(conn, sql, (order_id, user.id, total))
        intent = create_payment_intent(total, method, order_id, opener)
        sql = "INSERT INTO payments (intent_id, order_id, status) VALUES (?, ?, ?)"
        execute_query(conn, sql, (intent["id"], order_id, intent["status"]))
        clear_cart(conn, user.id)
    send_order_confirmation(user.email, order_id, lines, total)
    return order_id


def process_refund(
    intent_id: str,
    amount: int | None = None,
    opener: Callable[..., Any] = urlopen,
) -> str:
    """Return all or part of what was paid; gives back Stripe's refund id."""
    fields: dict[str, Any] = {"payment_intent": intent_id}
    if amount is not None:
        if amount <= 0:
            raise ValueError("a refund must be positive")
        fields["amount"] = amount
    request = Request(f"{STRIPE_API}/refunds", urlencode(fields).encode())
    request.add_header("Authorization", f"Bearer {STRIPE_KEY}")
    try:
        with opener(request, timeout=20) as response:
            refund = json.load(response)
    except HTTPError as exc:
        raise PaymentError(json.load(exc)["error"]["message"]) from exc
    if refund["status"] == "failed":
        raise PaymentError(refund.get("failure_reason", "refund failed"))
    return refund["id"]


def get_payment_history(
    conn: sqlite3.Connection, user_id: int, limit: int = 20
) -> list[dict[str, Any]]:
    """Newest first."""
    rows = execute_query(
        conn,
        "SELECT p.intent_id, p.status, o.id AS order_id, o.total, o.created_at"
        " FROM payments AS p JOIN orders AS o ON o.id = p.order_id"
        " WHERE o.user_id = ? ORDER BY o.created_at DESC, o.rowid DESC LIMIT ?",
        (user_id, limit),
    )
    return [dict(row) for row in rows]


def verify_webhook_signature(
    payload: bytes, header: str, secret: str, now: float | None = None
) -> bool:
    """Check a ``Stripe-Signature`` header, also against replayed requests."""
    timestamp = ""
    signatures = []
    for item in header.split(","):
        key, _, value = item.strip().partition("=")
        if key == "t":
            timestamp = value
        elif key == "v1":
            signatures.append(value)
    current = time.time() if now is None else now
    if not timestamp.isdecimal() or abs(current - int(timestamp)) > WEBHOOK_TOLERANCE:
        return False
    signed = timestamp.encode() + b"." + payload
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return any(hmac.compare_digest(expected, given) for given in signatures)

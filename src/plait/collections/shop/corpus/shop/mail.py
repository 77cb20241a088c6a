"""Outgoing mail."""

import logging
import os
import smtplib
from collections.abc import Iterable, Mapping
from email.message import EmailMessage
from string import Template

from .cart import CartLine

SENDER = "no-reply@shop.example"
SMTP_HOST = os.environ.get("SHOP_SMTP_HOST")
ORDER_BODY = """\
Thank you! We received your order $order_id.

$items

Total: $total
"""

log = logging.getLogger(__name__)


def render_template(text: str, values: Mapping[str, str]) -> str:
    """Fill the ``$name`` fields of a text; every field needs a value."""
    cleaned = {key: value.strip() for key, value in values.items()}
    try:
        return Template(text).substitute(cleaned)
    except KeyError as exc:
        raise ValueError(f"template field {exc} has no value") from exc


def send_email(to: str, subject: str, body: str) -> None:
    """Deliver a plain-text message, or only log it if no host is set."""
    message = EmailMessage()
    message["From"] = SENDER
    message["To"] = to
    message["Subject"] = subject
    message.set_content(body)
    if SMTP_HOST is None:
        log.info("mail to %s not sent: %s", to, subject)
        return
    with smtplib.SMTP(SMTP_HOST, timeout=10) as smtp:
        smtp.send_message(message)


def send_order_confirmation(
    to: str, order_id: str, lines: Iterable[CartLine], total: int
) -> None:
    items = "\n".join(f"{line.quantity} x {line.title}" for line in lines)
    values = {
        "order_id": order_id,
        "items": items,
        "total": f"{total / 100:.2f}",
    }
    body = render_template(ORDER_BODY, values)
    send_email(to, f"Your order {order_id[:8]}", body)

"""Messages to customers."""

import os
import smtplib
from email.message import EmailMessage
from string import Template

SENDER = os.environ.get("SHOP_SENDER", "shop@example.org")
SMTP_HOST = os.environ.get("SHOP_SMTP", "localhost")

TEMPLATES = {
    "welcome": Template("Hello $name,\n\nyour account is ready.\n"),
    "moved": Template("Hello $name,\n\nyour account now uses another address. If that was not you, write to us.\n"),
    "confirmation": Template("Thank you!\n\n$lines\n\nTotal: $total\n"),
}


def render_template(template: str, **values: object) -> str:
    return TEMPLATES[template].substitute(values)


def send_email(recipient: str, subject: str, body: str) -> None:
    """Hand one plain text message to the mail server."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = SENDER, recipient, subject
    message.set_content(body)
    with smtplib.SMTP(SMTP_HOST) as server:
        server.send_message(message)


def send_order_confirmation(recipient: str, lines: list[tuple[str, int]], total: int) -> None:
    listed = "\n".join(f"{quantity} x {title}" for title, quantity in lines)
    send_email(recipient, "Your order", render_template("confirmation", lines=listed, total=f"{total / 100:.2f}"))

"""A small web shop: catalogue, carts, accounts, orders."""

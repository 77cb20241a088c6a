"""plait finds the code that belongs to a question."""

__version__ = "0.1.0"

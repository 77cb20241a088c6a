"""The back end of a small web shop."""

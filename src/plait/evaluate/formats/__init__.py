"""Other formats of collections and runs, one module each."""

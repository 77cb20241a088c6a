"""How plait's own code embedding is made: fetch packages, mine pairs, train, score. Not part of the wheel."""

"""Data with a known truth, made on the spot."""

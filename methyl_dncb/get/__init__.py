"""Tidy tables of what a fit wrote into an AnnData."""

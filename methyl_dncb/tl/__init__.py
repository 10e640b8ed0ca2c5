"""Fit models to an AnnData and write the results into it."""

"""Plots of data and fits; each reads an AnnData and returns Axes."""

"""Bricks that methods and metrics are built from."""

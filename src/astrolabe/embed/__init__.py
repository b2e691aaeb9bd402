"""Turning texts into vectors."""

from astrolabe.embed.opening import HASHED, OpenEmbedder, default_embedder_name, open_embedder

__all__ = ["HASHED", "OpenEmbedder", "default_embedder_name", "open_embedder"]

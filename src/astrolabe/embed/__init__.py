"""Turning texts into vectors."""

from astrolabe.embed.opening import OpenEmbedder, default_embedder_name, open_embedder

__all__ = ["OpenEmbedder", "default_embedder_name", "open_embedder"]

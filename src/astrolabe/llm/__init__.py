"""Asking models: one file a provider, one a wrapper, and a scripted model for tests."""

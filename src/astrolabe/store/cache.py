"""Where things are kept that belong to no study: fetched weights, the studies of `ask`."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return the user's cache folder of Astrolabe: `ASTROLABE_CACHE`, else below `XDG_CACHE_HOME` or `~/.cache`."""
    own = os.environ.get("ASTROLABE_CACHE")
    if own:
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "astrolabe"

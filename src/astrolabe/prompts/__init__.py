"""Every prompt, one file each with its version in its name, and the filling of their holes."""

from astrolabe.prompts.rendering import render
from astrolabe.prompts.template import labelled, numbered

__all__ = ["labelled", "numbered", "render"]

"""How Sphinx builds these pages: MyST Markdown, the furo theme, nothing fetched."""

from importlib.metadata import version as version_of

project = "Astrolabe"
project_copyright = "The Astrolabe authors, Apache-2.0"
release = version_of("astrolabe-qa")
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"Astrolabe {release}"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
smartquotes = False  # `PATH...` stays as it is typed
exclude_patterns = ["_build"]
nitpicky = True

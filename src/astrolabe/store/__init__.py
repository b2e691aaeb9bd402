"""The disk: whole files, record lines, folder layout, manifests, the record of calls."""

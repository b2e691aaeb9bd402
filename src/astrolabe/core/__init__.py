"""Records, ids, protocols, errors and usage: what every other package speaks. No I/O here."""

"""Messages that count things."""


def plural(number: int, one: str, several: str = "") -> str:
    """Return the word for so many things: `one` for 1, else `several`, which is `one` with an s where it is not given.

    Examples:
        >>> f"1 {plural(1, 'call')}, 0 {plural(0, 'reply', 'replies')}"
        '1 call, 0 replies'
    """
    return one if number == 1 else several or f"{one}s"

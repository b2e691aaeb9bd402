"""What hears of progress in the tests: one that stops the work, one that keeps what it heard."""

from astrolabe.study.progress import Silent


class Stopping(Silent):
    """Stops an ingest after so many pages, as a kill would: nothing that comes later runs."""

    def __init__(self, after: int) -> None:
        self.left = after

    def step(self, note: str = "") -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt(note)


class Heard(Silent):
    """Keeps the note of every step."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def step(self, note: str = "") -> None:
        self.steps.append(note)

"""How fast requests may start: spread over a minute that is set, or at the rate that a server was seen to accept."""

from collections import deque
from typing import Final

_MINUTE: Final = 60.0
_LATE_SECONDS: Final = 0.01
"""How much of a start that came late is made up for at the next: timers ring late, never early."""
_LATE_SHARE: Final = 0.1
"""The most that is made up for at a learned pace, as a share of the time between two starts."""


class MinutePace:
    """Spreads the units of a minute (requests, tokens) evenly, so that no 60 seconds have more than the limit.

    The bound is strict for requests, and for tokens while no request asks for more than half of a minute's.
    """

    def __init__(self, a_minute: float) -> None:
        """Take the limit; nothing has started."""
        self._limit = a_minute
        self._largest = 0
        self._free_at = float("-inf")

    def wait(self, now: float) -> float:
        """Return the seconds until the next start; nothing or less where it may start now."""
        return self._free_at - now

    def started(self, now: float, units: int) -> None:
        """Count a start."""
        if units > 1:  # what starts at a minute's end fits into that minute whole
            self._largest = max(self._largest, units)
        usable = max(self._limit - self._largest, self._limit / 2)
        late = max(self._free_at, now - _LATE_SECONDS)
        self._free_at = late + units * (_MINUTE + 2 * _LATE_SECONDS) / usable


class LearnedPace:
    """The pace of starts that a server accepts, learned from its refusals (HTTP 429); free before the first.

    After the first refusal nothing starts for a second; what was accepted until then is the first estimate.
    From then on each refusal sets the pace a little below what was accepted lately, and from there it grows
    along a cubic (as in CUBIC, Ha, Rhee and Xu 2008): slowly near the last known limit, ever faster once that has
    been passed without a refusal. The longer the limit has proved steady, the slower it is tried again.

    Some servers refuse whatever the pace, for others' requests or by chance. A few refusals that name no wait are
    therefore taken as they come; and where slowing down again and again changes nothing, refusals teach nothing for
    a while.
    """

    _PAUSE: Final = 1.0
    _BELOW: Final = 0.05
    """The pace after a refusal is this share below the limit."""
    _MARGIN: Final = 0.98
    """The pace that was refused is a little above the limit."""
    _SLOWEST: Final = 0.1
    _SHORTEST: Final = 1.0
    _LONGEST: Final = 27.0
    """Seconds from a refusal until the pace is at the limit again: at first, and at most."""
    _LONGER: Final = 3.0
    _STEADY: Final = 0.8
    """A limit that is found this near to the last one is steady."""
    _WINDOW: Final = 3.0
    _STARTS: Final = 10
    """What was accepted lately: in so many seconds, or in the time of so many starts where that is longer."""
    _SETTLED: Final = 3
    """A pace is judged by so many starts at least; to climb to a steady limit takes twice as many."""
    _TOLERATED: Final = 0.02
    """The share of refusals, over about the last hundred starts, that changes nothing."""
    _FEWEST: Final = 3
    """Before anything is known, fewer refusals than that change nothing either."""
    _USELESS: Final = 5
    """More cuts than so many soon after one another, though most is accepted and the pace has fallen, are of no use."""
    _SOON: Final = 3.0
    _MOST: Final = 0.5
    _FALLEN: Final = 0.75
    _FADES: Final = 0.99
    _FORGET: Final = 60.0
    _FORGET_CLIMBS: Final = 7.0
    """It is free again after so many seconds without a refusal, and so many times the climb to the limit."""

    def __init__(self) -> None:
        """Begin free."""
        self._accepted: deque[float] = deque()
        self._limit: float | None = None
        self._climb = self._SHORTEST
        self._cut_at = self._climbs_from = float("-inf")
        self._learning_until: float | None = None
        self._refused_at = float("-inf")
        self._free_at = float("-inf")
        self._learns_from = float("-inf")
        self._sent = self._refused = 0.0
        self._cuts = 0
        self._cuts_began_at_rate = 0.0

    @property
    def is_free(self) -> bool:
        """Whether nothing is known and nothing is being learned."""
        return self._limit is None and self._learning_until is None

    def wait(self, now: float) -> float:
        """Return the seconds until the next start; nothing or less where it may start now."""
        if self._learning_until is not None:
            if now < self._learning_until:
                return self._learning_until - now
            self._set_limit(self._accepted_rate(self._refused_at), now)
            self._learning_until = None
        elif self._limit is not None and now - self._cut_at > max(self._FORGET, self._FORGET_CLIMBS * self._climb):
            self._set_free()
        return self._free_at - now

    def started(self, now: float) -> None:
        """Count a start; it is taken as accepted until it is refused."""
        rate = self.rate(now)
        window = self._WINDOW if rate is None else max(self._WINDOW, self._STARTS / rate)
        while self._accepted and self._accepted[0] < now - window:
            self._accepted.popleft()
        self._accepted.append(now)
        self._sent, self._refused = self._FADES * self._sent + 1, self._FADES * self._refused
        if rate is not None:
            if now - self._free_at > 1 / rate:  # nobody asked for so much: that says nothing of the limit
                self._climbs_from = min(now, self._climbs_from + now - self._free_at + 1 / rate)
            late = min(_LATE_SECONDS, _LATE_SHARE / rate)
            self._free_at = max(self._free_at, now - late) + 1 / rate

    def unsent(self, began: float) -> None:
        """Take back a start: nothing was sent."""
        self._drop(began)
        self._free_at = float("-inf")

    def refused(self, began: float, now: float, pause_seconds: float) -> None:
        """Take note that the server refused what began then; nothing starts before the pause is over."""
        self._drop(began)
        self._refused += began >= self._cut_at
        if now < self._learns_from or not (pause_seconds or self._is_too_much()):
            return
        if self.is_free:
            self._learning_until = now + max(self._PAUSE, pause_seconds)
            self._refused_at = now
        rate = self.rate(now)
        if rate is None or self._limit is None:
            return
        settled = max(self._PAUSE, self._SETTLED / rate)
        if began < self._cut_at or now < self._cut_at + settled:
            return  # what was under way at the last cut says nothing new, and nor do the first starts after it
        accepted = self._accepted_rate(now)
        soon = not pause_seconds and now < self._cut_at + self._SOON * settled and accepted > self._MOST * rate
        self._cuts = self._cuts + 1 if soon else 0
        if self._cuts <= 1:
            self._cuts_began_at_rate = rate
        if self._cuts > self._USELESS and rate < self._FALLEN * self._cuts_began_at_rate:
            self._set_free()
            self._learns_from = now + self._FORGET
            return
        limit = self._MARGIN * min(rate, max(rate / 2, accepted))
        steady = self._STEADY <= limit / self._limit <= 1 / self._STEADY
        longer = max(self._LONGER * self._climb, 2 * self._SETTLED / rate)
        self._climb = min(self._LONGEST, longer) if steady else self._SHORTEST
        self._set_limit(limit, now + pause_seconds)

    def _is_too_much(self) -> bool:
        few = self._FEWEST if self._limit is None else 1
        return round(self._refused) >= few and self._refused > self._TOLERATED * self._sent

    def rate(self, now: float) -> float | None:
        """Return the pace now, in starts a second; null while it is free."""
        if self._limit is None:
            return None
        climbed = max(0.0, now - self._climbs_from) / self._climb
        return self._limit * (1 + self._BELOW * (climbed - 1) ** 3)

    def _set_free(self) -> None:
        self._limit, self._climb, self._free_at, self._cuts = None, self._SHORTEST, float("-inf"), 0

    def _set_limit(self, limit: float, now: float) -> None:
        self._limit = max(self._SLOWEST, limit)
        self._cut_at = self._climbs_from = now
        self._sent = self._refused = 0.0

    def _accepted_rate(self, until: float) -> float:
        """Return the starts a second that were accepted lately: since the last cut, and for at least a second.

        The refused one counts: the pace that just fails is nearer to the limit than the starts that are whole.
        """
        rate = self.rate(until)
        window = self._WINDOW if rate is None else max(self._WINDOW, self._STARTS / rate)
        since = max(self._cut_at, until - window)
        lately = [start for start in self._accepted if start >= since]
        if rate is None:
            return len(lately) / max(1.0, until - min(lately, default=until))
        return (len(lately) + 1) / max(1.0, until - since)

    def _drop(self, began: float) -> None:
        try:
            self._accepted.remove(began)
        except ValueError:
            return  # long ago

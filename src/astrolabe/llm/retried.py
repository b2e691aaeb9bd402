"""Asking again, where that can help and as the server wishes."""

from dataclasses import dataclass, field
from typing import Final

from astrolabe.core.errors import ModelError, Stopped
from astrolabe.llm.gate import LONGEST_WAIT_SECONDS
from astrolabe.llm.provider import Provider, RawReply, Request
from astrolabe.store.http import WireError

_NOT_ALLOWED: Final = frozenset({401, 402, 403})
_NOT_THERE: Final = frozenset({404, 405})


@dataclass(slots=True)
class Retried:
    """A provider that is asked again after 408, 425, 429, 5xx, broken connections and timeouts.

    Attributes:
        provider: What is asked.
        attempts: How often at most, the first time included.
        longest_wait_seconds: The longest wait that a server may ask for; above it the run stops at once.
        first_wait_seconds: The first wait where the server says nothing; then twice as long each time, up to
            30 s, each with up to a second of chance added.
    """

    provider: Provider
    attempts: int = 6
    longest_wait_seconds: float = LONGEST_WAIT_SECONDS
    first_wait_seconds: float = 0.5
    _heard: bool = field(default=False, init=False)

    @property
    def id(self) -> str:
        """The provider's id."""
        return self.provider.id

    async def complete(self, request: Request) -> RawReply:
        """Return the reply of the first attempt that succeeds.

        Raises:
            ModelError: `failed`: the attempts are used up, or this request was refused (HTTP 400 and its like).
            Stopped: Every other request would fare the same: the key is not accepted, the model is not there,
                nobody listens, the quota is spent, or the server asks for too long a wait.
        """
        try:
            return await self._complete(request)
        except WireError as error:
            return await self._again(request, error)

    async def _complete(self, request: Request) -> RawReply:
        raw = await self.provider.complete(request)
        self._heard = True
        return raw

    async def _again(self, request: Request, failure: WireError) -> RawReply:
        """Go on after a first failure; only then, for setting up a retry takes longer than all else here."""
        import stamina

        failed_already = [failure]
        number = 1
        try:
            async for attempt in stamina.retry_context(
                self._wait, attempts=self.attempts, timeout=None, wait_initial=self.first_wait_seconds, wait_max=30.0
            ):
                number = attempt.num
                with attempt:
                    if failed_already:
                        raise failed_already.pop()
                    return await self._complete(request)
        except WireError as error:
            raise self._given_up(error, number) from error
        raise AssertionError("a retry ends with a reply or an error")

    async def aclose(self) -> None:
        """Close the provider."""
        await self.provider.aclose()

    def _wait(self, error: Exception) -> bool | float:
        """Return whether to ask again: after the server's own wait where it names one."""
        if not isinstance(error, WireError) or not error.can_be_retried:
            return False
        if error.fault == "connect" and not self._heard:
            return False  # a server that never answered is not started: waiting for it only hides that
        if error.wait_seconds is None:
            return True
        return error.wait_seconds if error.wait_seconds <= self.longest_wait_seconds else False

    def _given_up(self, error: WireError, attempts: int) -> ModelError | Stopped:
        if (error.wait_seconds or 0) > self.longest_wait_seconds:
            return Stopped(
                f"{error}; the server asks to wait {error.wait_seconds:g} seconds, more than the "
                f"{self.longest_wait_seconds:g} that are waited for; run the same command again then"
            )
        if error.status in _NOT_ALLOWED:
            return Stopped(f"{error}; check the key in the environment, then run the same command again")
        if error.status in _NOT_THERE:
            return Stopped(f"{error}; check the model's name and address in {self.id!r}, then run the command again")
        if error.fault == "connect":
            return Stopped(f"{error}; start the server or check its address, then run the same command again")
        if not error.can_be_retried and error.status == 429:  # noqa: PLR2004  the quota, not the rate
            return Stopped(f"{error}; the account's quota is spent; the same command resumes when it is not")
        times = f" ({attempts} times)" if attempts > 1 else ""
        return ModelError("failed", f"{error}{times}")

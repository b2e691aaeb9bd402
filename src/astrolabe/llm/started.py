"""A provider whose server starts when it is first asked, so that a recorded run starts none."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from astrolabe.llm.provider import Provider, RawReply, Request


class Started:
    """A `Provider` that is started once, by the first request, while others wait for it."""

    def __init__(self, start: Callable[[], Awaitable[Provider]], *, spelled: str) -> None:
        """Take what starts it and the spelled name for the id."""
        self.id: Final = f"{spelled} chat"
        self._start = start
        self._starting = asyncio.Lock()
        self._provider: Provider | None = None

    async def complete(self, request: Request) -> RawReply:
        """Start the server if it is not started, then ask it."""
        if self._provider is None:
            async with self._starting:
                self._provider = self._provider or await self._start()
        return await self._provider.complete(request)

    async def aclose(self) -> None:
        """Close the connections; the server ends with this process."""
        if self._provider is not None:
            await self._provider.aclose()

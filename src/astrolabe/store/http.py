"""The wire: JSON sent and received over HTTP, for chat and embeddings alike.

One session an event loop, kept alive for less time than servers keep theirs. Keys are sent and nowhere shown:
every text that comes back is scrubbed before it enters an error.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, cast
from urllib.parse import quote, unquote, urlsplit

from pydantic import JsonValue, SecretStr

from astrolabe.core.errors import AstrolabeError
from astrolabe.store.halt import hold_if_halted

if TYPE_CHECKING:
    from types import AsyncGeneratorType

    from aiohttp import ClientResponse, ClientSession

Fault = Literal["connect", "broken", "timeout", "status", "not json"]
CONNECT_SECONDS: Final = 10.0
KEEPALIVE_SECONDS: Final = 4.0
"""Below the five seconds after which uvicorn, and with it vLLM, closes an idle connection."""
_SHOWN: Final = 300
_ASK_AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_SPENT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})


_KEEPERS: Final[set["AsyncGeneratorType[ClientSession, None]"]] = set()
"""What keeps the open sessions: held here, so that one whose wire was dropped is still closed by its loop."""

logging.getLogger("stamina").addHandler(logging.NullHandler())
"""Python shows warnings that nobody listens to; a line for each request that is repeated is not worth it."""


class WireError(AstrolabeError):
    """Nothing usable came over the wire.

    Attributes:
        fault: `connect` (nobody listens), `broken` (the connection ended early), `timeout`, `status` (an
            HTTP status that is not 2xx), or `not json` (2xx, but no JSON object).
        status: The HTTP status; null where none came.
        reason: What the server said, scrubbed and short.
        parameter: The request's parameter that the server names as the cause; empty where it names none.
        code: The server's own word for the error; empty where there is none.
        wait_seconds: How long the server asks to wait; null where it does not say.
    """

    def __init__(
        self,
        fault: Fault,
        reason: str,
        *,
        address: str,
        status: int | None = None,
        parameter: str = "",
        code: str = "",
        wait_seconds: float | None = None,
    ) -> None:
        """Keep what came; the message names the address and the status."""
        shown = f"HTTP {status}" if status else fault
        super().__init__(f"{address}: {shown}: {reason}")
        self.fault: Fault = fault
        self.status = status
        self.reason = reason
        self.parameter = parameter
        self.code = code
        self.wait_seconds = wait_seconds

    @property
    def can_be_retried(self) -> bool:
        """Whether the same request may succeed later."""
        return self.code not in _SPENT and (self.status in _ASK_AGAIN or self.fault != "status")


class Address(NamedTuple):
    """A URL without its user part, and the key that stood there, or null."""

    url: str
    key: SecretStr | None


class Wire:
    """Posts JSON to one server.

    Usable from several event loops, one after the other or at once. A loop's session ends with `aclose`,
    or with the loop where that was forgotten.
    """

    def __init__(self, url: str, *, key: SecretStr | None = None, timeout_seconds: float = 600.0) -> None:
        """Take the server's URL and the key, which may stand in the URL's user part; connects at the first post."""
        self.address, found = address_of(url)
        self._key = key or found
        self._timeout_seconds = timeout_seconds
        self._sessions: dict[asyncio.AbstractEventLoop, tuple[ClientSession, AsyncGenerator[ClientSession]]] = {}

    @property
    def has_key(self) -> bool:
        """Whether a key is sent."""
        return self._key is not None

    async def post(self, path: str, body: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Send one JSON object to the address and path, and return the one that comes back.

        Once the command was told to stop, nothing is sent.

        Raises:
            WireError: Anything else happened.
        """
        import aiohttp

        session = await self._session()
        payload = json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
        await hold_if_halted()
        try:
            async with session.post(f"{self.address}{path}", data=payload, headers=self._headers()) as response:
                raw = await response.read()
        except aiohttp.ClientConnectorError as error:
            raise self.error("connect", f"nothing answers ({error.strerror or 'cannot connect'})") from error
        except TimeoutError as error:
            raise self.error("timeout", f"no whole reply within {self._timeout_seconds:g} seconds") from error
        except (aiohttp.ClientError, OSError) as error:
            raise self.error("broken", f"the connection ended early ({type(error).__name__})") from error
        return self._content(response, raw)

    async def aclose(self) -> None:
        """Close this loop's connections; the next post opens new ones."""
        if held := self._sessions.pop(asyncio.get_running_loop(), None):
            await held[1].aclose()

    def error(
        self,
        fault: Fault,
        reason: str,
        *,
        status: int | None = None,
        parameter: str = "",
        code: str = "",
        wait_seconds: float | None = None,
    ) -> WireError:
        """Return an error of this wire, its texts scrubbed of the key and shortened."""
        return WireError(
            fault,
            scrubbed(" ".join(reason.split()), self._key)[:_SHOWN],
            address=self.address,
            status=status,
            parameter=scrubbed(parameter, self._key),
            code=scrubbed(code, self._key),
            wait_seconds=wait_seconds,
        )

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key.get_secret_value()}"
        return headers

    async def _session(self) -> "ClientSession":
        loop = asyncio.get_running_loop()
        if held := self._sessions.get(loop):
            return held[0]
        for ended in [other for other in self._sessions if other.is_closed()]:
            del self._sessions[ended]
        keeper = cast("AsyncGeneratorType[ClientSession, None]", self._keep())
        session = await anext(keeper)
        self._sessions[loop] = (session, keeper)
        _KEEPERS.difference_update([ended for ended in _KEEPERS if ended.ag_frame is None])
        _KEEPERS.add(keeper)
        return session

    async def _keep(self) -> "AsyncGenerator[ClientSession]":
        # A generator, because a loop that ends closes its generators: no session outlives its loop.
        import aiohttp

        timeout = aiohttp.ClientTimeout(total=self._timeout_seconds, connect=CONNECT_SECONDS)
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEPALIVE_SECONDS)
        here = urlsplit(self.address).hostname in {"127.0.0.1", "localhost", "::1"}
        async with aiohttp.ClientSession(connector=connector, timeout=timeout, trust_env=not here) as session:
            yield session

    def _content(self, response: "ClientResponse", raw: bytes) -> dict[str, JsonValue]:
        try:
            content: JsonValue = json.loads(raw)
        except (ValueError, RecursionError):
            content = None
        if not response.ok:
            reason, parameter, code = _complaint(content)
            raise self.error(
                "status",
                reason or raw[:_SHOWN].decode("utf-8", "replace"),
                status=response.status,
                parameter=parameter,
                code=code,
                wait_seconds=asked_wait(response.headers, datetime.now(UTC)),
            )
        if not isinstance(content, dict):
            raise self.error("not json", f"not a JSON object: {raw[:80].decode('utf-8', 'replace')!r}")
        return content


def address_of(url: str) -> Address:
    """Cut a key out of a URL: the password of its user part, or the user where there is no password.

    Examples:
        >>> address_of("http://user:secret@127.0.0.1:9/v1").url
        'http://127.0.0.1:9/v1'
    """
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    userinfo, _, bare = host.rpartition("@")
    user, _, password = userinfo.partition(":")
    key = unquote(password or user)
    return Address(f"{scheme}{separator}{bare}{slash}{path}", SecretStr(key) if key else None)


def scrubbed(text: str, key: SecretStr | None) -> str:
    """Return the text with the key, as it is or percent-encoded, replaced by `[key]`."""
    secret = key.get_secret_value() if key else ""
    for spelled in {secret, quote(secret, safe="")} - {""}:
        text = text.replace(spelled, "[key]")
    return text


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a server asks to wait, never below 0; null where it does not say so readably.

    Reads `retry-after-ms`, then `Retry-After` in seconds or as an HTTP date.

    Examples:
        >>> asked_wait({"Retry-After": "Mon, 30 Nov 2026 10:00:03 GMT"}, datetime(2026, 11, 30, 10, tzinfo=UTC))
        3.0
        >>> asked_wait({"Retry-After": "soon"}, datetime(2026, 11, 30, 10, tzinfo=UTC)) is None
        True
    """
    milliseconds, text = _number(headers.get("retry-after-ms", "")), headers.get("Retry-After", "")
    if milliseconds is not None:
        return milliseconds / 1000
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - now).total_seconds())


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _complaint(content: JsonValue) -> tuple[str, str, str]:
    """Return a server's message, parameter and code, however it wraps them."""
    error = content.get("error", content) if isinstance(content, dict) else content
    if not isinstance(error, dict):
        return (error if isinstance(error, str) else "", "", "")
    message = error.get("message") or error.get("detail") or ""
    said = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    return said, str(error.get("param") or ""), str(error.get("code") or "")

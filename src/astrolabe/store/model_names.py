"""Spelled model names: `provider:name`, with an address where the model is not at its usual place."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, cast, get_args
from urllib.parse import urlsplit

from pydantic import SecretStr

from astrolabe.core.errors import ConfigError
from astrolabe.store.http import address_of

ProviderName = Literal["embedded", "openai", "vllm", "ollama"]
OPENAI_URL: Final = "https://api.openai.com/v1"
NO_KEY: Final = "needs a key: set OPENAI_API_KEY in the environment"
"""What is said of a model of OpenAI's own where none is set."""
OLLAMA_URL: Final = "http://127.0.0.1:11434"
SPELLINGS: Final = (
    "embedded:NAME, openai:NAME, openai:NAME@BASE_URL, vllm:NAME@BASE_URL, ollama:NAME or ollama:NAME@BASE_URL"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelName:
    """A spelled model.

    Attributes:
        provider: Who serves it.
        name: What the server calls it.
        url: The server's address without a key; empty for an embedded model.
        key: A key that stood in the address. It is sent, and shown nowhere.
    """

    provider: ProviderName
    name: str
    url: str
    key: SecretStr | None = field(default=None, repr=False, compare=False)

    @classmethod
    def parse(cls, text: str) -> "ModelName":
        """Read a spelled model.

        Raises:
            ConfigError: It is spelled otherwise; says how models are spelled. A key in it is not repeated.
        """
        provider, _, rest = text.partition(":")
        name, url, key = _located(rest)
        shown = f"{provider}:{name}@{url}" if url else f"{provider}:{name}" if rest else provider
        if provider not in get_args(ProviderName) or not name.strip():
            raise ConfigError(f"{shown!r} is no model; models are spelled {SPELLINGS}")
        if provider == "embedded" and url:
            raise ConfigError(f"{shown!r}: an embedded model has no address; write embedded:{name}")
        if provider == "vllm" and not url:
            raise ConfigError(f"{shown!r} needs the server's address: vllm:{name}@http://HOST:PORT/v1")
        if url and not _is_address(url):
            raise ConfigError(f"{shown!r}: {url!r} is no address; write http://HOST:PORT/v1 without a query")
        usual = {"openai": OPENAI_URL, "ollama": OLLAMA_URL}.get(provider, "")
        return cls(provider=cast("ProviderName", provider), name=name, url=url or usual, key=key)

    def __str__(self) -> str:
        """Return the spelling, without a key and without an address that goes without saying."""
        usual = self.url in {"", {"openai": OPENAI_URL, "ollama": OLLAMA_URL}.get(self.provider)}
        return f"{self.provider}:{self.name}" if usual else f"{self.provider}:{self.name}@{self.url}"

    def find_key(self, environment: Mapping[str, str] = os.environ) -> SecretStr | None:
        """Return the key: that of the address, else `ASTROLABE_KEY_<PROVIDER>`, else `OPENAI_API_KEY` for openai."""
        given = environment.get(f"ASTROLABE_KEY_{self.provider.upper()}", "")
        usual = environment.get("OPENAI_API_KEY", "") if self.provider == "openai" else ""
        found = (given or usual).strip()
        return self.key or (SecretStr(found) if found else None)


def _located(rest: str) -> tuple[str, str, SecretStr | None]:
    """Cut `NAME@URL`; the name may hold colons, slashes and signs, the URL a user part."""
    for scheme in ("@http://", "@https://"):
        name, found, tail = rest.partition(scheme)
        if found:
            address = address_of(f"{scheme[1:]}{tail}")
            return name, address.url.rstrip("/"), address.key
    return rest, "", None


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and not parts.query and not parts.fragment and (parts.port or 1) > 0
    except ValueError:
        return False

"""Whether a model can be asked, before anything is computed for it; nothing is sent and nothing started."""

from astrolabe.core.errors import ConfigError, UserError
from astrolabe.llm.embedded import missing
from astrolabe.store.model_names import NO_KEY, OPENAI_URL, ModelName


def why_not_ready(spelled: str) -> UserError | None:
    """Return the error to raise where a model cannot be asked from here, for it says what to do; null where it can.

    Whether a server is there and takes the key shows only when it is asked.

    Args:
        spelled: A chat model, such as `openai:gpt-5.1`.

    Raises:
        ConfigError: It is not spelled right, or there is no embedded model of this name.
    """
    name = ModelName.parse(spelled)
    if name.provider == "embedded":
        return missing(name.name)
    if name.url == OPENAI_URL and name.find_key() is None:
        return ConfigError(f"{name} {NO_KEY}")
    return None

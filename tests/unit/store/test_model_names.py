import pytest

from astrolabe.core.errors import ConfigError
from astrolabe.store.model_names import ModelName

CANARY = "sk-field-CANARY-0001"


@pytest.mark.parametrize(
    ("text", "provider", "name", "url"),
    [
        ("openai:gpt-5.1", "openai", "gpt-5.1", "https://api.openai.com/v1"),
        ("openai:NAME@http://127.0.0.1:8000/v1/", "openai", "NAME", "http://127.0.0.1:8000/v1"),
        ("vllm:Qwen/Qwen3-8B@http://host:8000/v1", "vllm", "Qwen/Qwen3-8B", "http://host:8000/v1"),
        ("ollama:llama3.1:8b", "ollama", "llama3.1:8b", "http://127.0.0.1:11434"),
        ("ollama:a@https://host", "ollama", "a", "https://host"),
        ("embedded:qwen2.5-coder-0.5b", "embedded", "qwen2.5-coder-0.5b", ""),
        ("openai:team@model@http://[::1]:9/v1", "openai", "team@model", "http://[::1]:9/v1"),
    ],
)
def test_a_spelled_model_is_read(text: str, provider: str, name: str, url: str) -> None:
    model = ModelName.parse(text)

    assert (model.provider, model.name, model.url) == (provider, name, url)
    assert str(model) == text.rstrip("/")
    assert ModelName.parse(str(model)) == model


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gpt-5.1", "openai:NAME@BASE_URL"),
        ("", "openai:NAME@BASE_URL"),
        ("openai:", "models are spelled"),
        ("azure:gpt", "models are spelled"),
        ("vllm:Qwen/Qwen3-8B", "needs the server's address"),
        ("embedded:a@http://host", "has no address"),
        ("openai:a@http://", "no address"),
        ("openai:a@http://host:99999/v1", "no address"),
        ("openai:a@http://host/v1?key=1", "no address"),
    ],
)
def test_a_model_that_is_spelled_otherwise_shows_how_it_is_done(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        ModelName.parse(text)


@pytest.mark.parametrize("user", [f"user:{CANARY}", CANARY, f"{CANARY}:"])
def test_a_key_in_the_address_is_used_and_shown_nowhere(user: str) -> None:
    model = ModelName.parse(f"openai:m@http://{user}@127.0.0.1:9/v1")

    key = model.find_key({"OPENAI_API_KEY": "other"})
    assert key is not None
    assert key.get_secret_value() == CANARY
    assert "CANARY" not in f"{model} {model!r} {key} {key!r}"


def test_a_bad_spelling_with_a_key_does_not_repeat_it() -> None:
    with pytest.raises(ConfigError) as caught:
        ModelName.parse(f"azure:m@http://user:{CANARY}@127.0.0.1:9/v1")

    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "environment", "key"),
    [
        ("openai:a", {"OPENAI_API_KEY": " k "}, "k"),
        ("openai:a", {"OPENAI_API_KEY": "k", "ASTROLABE_KEY_OPENAI": "own"}, "own"),
        ("vllm:a@http://h", {"OPENAI_API_KEY": "k"}, None),
        ("vllm:a@http://h", {"ASTROLABE_KEY_VLLM": "v"}, "v"),
        ("ollama:a", {"ASTROLABE_KEY_OLLAMA": ""}, None),
    ],
)
def test_keys_come_from_the_environment(text: str, environment: dict[str, str], key: str | None) -> None:
    found = ModelName.parse(text).find_key(environment)

    assert (found.get_secret_value() if found else None) == key


def test_two_keys_make_the_same_model() -> None:
    first = ModelName.parse("openai:m@http://a:one@127.0.0.1:9/v1")

    assert first == ModelName.parse("openai:m@http://a:two@127.0.0.1:9/v1")

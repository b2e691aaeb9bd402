from pathlib import Path

import pytest

from astrolabe.core.errors import ConfigError
from astrolabe.core.records import Usage
from astrolabe.store.calls import Caller, CallRecord, StoredReply
from astrolabe.study.models import Asking, CallMode, open_models
from astrolabe.study.settings import ModelSettings, Settings

SETTINGS = Settings(models=ModelSettings(answer="openai:gpt-x", embed="hashed"))


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]  # pytest calls it
    for name in ("OPENAI_API_KEY", "ASTROLABE_KEY_OPENAI"):
        monkeypatch.delenv(name, raising=False)


def record_with_a_reply_of(model: str, folder: Path) -> Path:
    path = folder / "calls.sqlite"
    with CallRecord(path) as record:
        caller = Caller(model=model, prompt="write.v1", stage="answer.write")
        record.put(b"key", StoredReply(text="The moon.", usage=Usage()), caller).result()
    return path


@pytest.mark.parametrize(
    ("known", "mode", "refused"),
    [
        ("openai:gpt-y chat", "reuse", True),
        ("openai:gpt-x chat", "reuse", False),
        ("openai:gpt-x chat", "live", True),
        ("openai:gpt-y chat", "replay", False),
    ],
)
async def test_a_model_without_a_key_is_refused_unless_the_record_may_speak_for_it(
    tmp_path: Path, known: str, mode: CallMode, *, refused: bool
) -> None:
    path = record_with_a_reply_of(known, tmp_path)

    async with open_models(SETTINGS, path, Asking(mode=mode)) as models:
        if refused:
            with pytest.raises(ConfigError, match="openai:gpt-x needs a key: set OPENAI_API_KEY"):
                models.check("answer")
        else:
            models.check("answer")
        models.check("judge")


async def test_with_a_key_no_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-field-CANARY-0001")

    async with open_models(SETTINGS, tmp_path / "calls.sqlite", Asking(mode="live")) as models:
        models.check("answer")

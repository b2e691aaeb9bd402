"""The command `astrolabe` in this process."""

from pathlib import Path

import pytest

from astrolabe.cli import main
from tests.commands import Command, Ended


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ASTROLABE_CACHE", str(folder))
    return folder


@pytest.fixture
def command(cache: Path, capsys: pytest.CaptureFixture[str]) -> Command:  # noqa: ARG001 - no test may see ours
    """Run `astrolabe` with some words."""

    def run(*words: str | Path) -> Ended:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return Ended(int(left.value.code or 0), said.out, said.err)

    return run

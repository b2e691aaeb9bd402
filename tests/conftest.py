"""What every test may lean on: a locked network, the real data beside the repository, a browser."""

import os
import runpy
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
LOCK = Path(__file__).parent / "locked"
IN_CI = os.environ.get("CI") == "true"

settings.register_profile("ours", deadline=None, derandomize=IN_CI)
settings.load_profile("ours")


def pytest_configure() -> None:
    """Lock the network for this process and, through their path, for all that it starts; let Ctrl-C be heard."""
    # A shell that starts the tests in the background has them ignore it, and all that they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    path = [str(LOCK), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(path)
    runpy.run_path(str(LOCK / "sitecustomize.py"))


@pytest.fixture(autouse=True)
def _live(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]  # pytest calls it
    marked: object = request.node.get_closest_marker("live")
    if marked:
        monkeypatch.setenv("ASTROLABE_TESTS_LIVE", "1")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The repository's own folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the repository; tests that need it skip where it is absent."""
    return _beside("shared/data")


@pytest.fixture(scope="session")
def field_cases() -> Path:
    """The folder of inputs that broke other tools; tests that need it skip where it is absent."""
    return _beside("shared/field-cases")


def _beside(name: str) -> Path:
    folder = ROOT.parent / name
    if not folder.is_dir():
        pytest.skip(f"needs the folder ../{name} beside the repository, which is not there")
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """The system's Chromium, for `executable_path`; in CI its absence is a failure, not a skip."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    message = "no Chromium found: install it with `sudo apt-get install chromium` or your system's like"
    if IN_CI:
        pytest.fail(message)
    pytest.skip(message)

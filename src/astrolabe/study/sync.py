"""The library without `await`: the same functions for scripts and notebooks, named `<name>_sync`.

They run on one event loop in a thread of its own, which the first call starts. So they work where a loop runs
already, as in a notebook, and any number of times; nothing of asyncio is changed.
"""

import asyncio
import atexit
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from astrolabe.study import api, calls, whole_jobs

P = ParamSpec("P")
T = TypeVar("T")

_LOOK_SECONDS: Final = 0.5
"""A waiting thread looks up this often: on some systems Ctrl-C is not heard in between."""


class _Background:
    """One event loop in a daemon thread."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def is_here(self) -> bool:
        """Tell whether this is the loop's own thread."""
        return threading.current_thread() is self._thread

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the caller's context and wait for it; Ctrl-C cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self._running_loop())
        try:
            while not wait([future], timeout=_LOOK_SECONDS).done:
                pass
        finally:
            future.cancel()  # does nothing to one that is done
        return future.result()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            # After a fork the child has the thread's object, but no thread.
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                started: Future[asyncio.AbstractEventLoop] = Future()
                self._thread = threading.Thread(target=_serve, args=(started,), name="astrolabe", daemon=True)
                self._thread.start()
                self._loop = started.result()
                atexit.register(_end, self._loop, self._thread)
            return self._loop


def _serve(started: "Future[asyncio.AbstractEventLoop]") -> None:
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        started.set_result(loop)
        loop.run_forever()


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """Cancel what is under way, so that what it holds is closed before the interpreter ends."""
    if thread.is_alive():
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


_BACKGROUND: Final = _Background()


def sync_door(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Return a function of the same arguments that waits for what the coroutine returns.

    Raises:
        RuntimeError: From the door, when it is called in the loop's own thread, which would wait for itself.
    """

    @wraps(function)
    def door(*args: P.args, **kwargs: P.kwargs) -> T:
        if _BACKGROUND.is_here():
            msg = f"{function.__name__}_sync would wait for itself here; use: await astrolabe.{function.__name__}(...)"
            raise RuntimeError(msg)
        return _BACKGROUND.run(function(*args, **kwargs))

    door.__name__ = door.__qualname__ = f"{function.__name__}_sync"
    door.__module__ = __name__
    return door


ask_sync = sync_door(whole_jobs.ask)
compare_study_sync = sync_door(api.compare_study)
export_calls_sync = sync_door(calls.export_calls)
import_benchmark_sync = sync_door(api.import_benchmark)
import_calls_sync = sync_door(calls.import_calls)
ingest_sync = sync_door(api.ingest)
new_study_sync = sync_door(api.new_study)
open_study_sync = sync_door(api.open_study)
plan_run_sync = sync_door(api.plan_run)
plan_score_sync = sync_door(api.plan_score)
quickstart_sync = sync_door(whole_jobs.quickstart)
run_sync = sync_door(api.run)
score_sync = sync_door(api.score)
score_answers_sync = sync_door(api.score_answers)
study_status_sync = sync_door(api.study_status)
take_benchmark_sync = sync_door(api.take_benchmark)
write_report_sync = sync_door(api.write_report)

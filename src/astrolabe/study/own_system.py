"""A system of the user's own, run beside the methods: a URL or a Python function.

It is given `{question_id, question, scope, documents}` (the ids of the scope's documents) and returns
`{text, contexts?: [{text, document_id?}], usage?}`. A timeout, an error and an empty text become named
states of that one answer.
"""

import asyncio
import inspect
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Annotated, ClassVar, Final, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from astrolabe.core.errors import ConfigError
from astrolabe.core.protocols import Calls, Kit
from astrolabe.core.records import Answer, Hit, Question, Usage
from astrolabe.core.text import Text
from astrolabe.core.usage import count
from astrolabe.store.halt import asking, hold_if_halted
from astrolabe.store.http import Wire, WireError, address_of
from astrolabe.study.contexts import passage_of
from astrolabe.study.passages import Shelf

Request = dict[str, JsonValue]
Call = Callable[[Request], Awaitable[JsonValue]]
STAGE: Final = "answer.system"
_SCHEMES: Final = ("http://", "https://")
_DAY_SECONDS: Final = 86_400.0
"""The wire's own limit: the system's is shorter."""


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class SystemContext(_Given):
    """A text that the system showed its model; with its document's id misses can be explained."""

    text: Text
    document_id: Text | None = None


class SystemUsage(_Given):
    """What the system says that the answer cost."""

    calls: Annotated[int, Field(ge=0)] = 0
    prompt_tokens: Annotated[int, Field(ge=0)] = 0
    completion_tokens: Annotated[int, Field(ge=0)] = 0
    usd: float | None = None


class SystemReply(_Given):
    """What a system returns for one question."""

    text: Text
    contexts: tuple[SystemContext, ...] = ()
    usage: SystemUsage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSystem:
    """Asks the user's system once a question.

    Attributes:
        target: Its URL without a key, or `module:function` found from the current folder.
        timeout_seconds: The longest that one answer may take.
        call: How it is called.
        shelf: Where the contexts it shows are kept.
        slots: How many questions it is asked at once; their time runs when they have one.
    """

    name: ClassVar[str] = "system"

    target: str
    timeout_seconds: float = field(default=120.0, compare=False)
    call: Call = field(repr=False, compare=False, kw_only=True)
    shelf: Shelf = field(repr=False, compare=False, kw_only=True)
    slots: asyncio.Semaphore = field(repr=False, compare=False, kw_only=True)

    @property
    def calls(self) -> Calls:
        """One a question: of the system; what that asks is not known."""
        return Calls(question_low=1, question_high=1)

    async def answer(self, question: Question, kit: Kit) -> Answer:
        """Call the system and read what it returns."""
        asked: Request = {
            "question_id": question.id,
            "question": question.text,
            "scope": kit.scope,
            "documents": list(kit.documents),
        }
        limit = asyncio.timeout(self.timeout_seconds)
        try:
            async with self.slots, limit:
                with asking():
                    await hold_if_halted()
                    returned = await self.call(asked)
            reply = SystemReply.model_validate(returned)
        except TimeoutError as error:
            over = f"no answer within {self.timeout_seconds:g} seconds"
            reason = over if limit.expired() else f"TimeoutError: {error}"
            return Answer(question_id=question.id, status="failed", reason=reason)
        except WireError as error:
            return Answer(question_id=question.id, status="failed", reason=str(error))
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            place = ".".join(map(str, fault["loc"])) or "reply"
            reason = f"{place} = {str(fault['input'])[:80]!r}: {fault['msg']}; return {{text, contexts?, usage?}}"
            return Answer(question_id=question.id, status="unparsed", reason=reason)
        return self._read(question, reply)

    def _read(self, question: Question, reply: SystemReply) -> Answer:
        if reply.usage is not None:
            count(STAGE, Usage(**reply.usage.model_dump()))
        passages = [
            passage_of(context.text, self.shelf.document(context.document_id or ""), named=context.document_id)
            for context in reply.contexts
            if context.text.strip()
        ]
        passages = list({passage.id: passage for passage in passages}.values())
        self.shelf.add(passages)
        hits = tuple(
            Hit(passage_id=passage.id, rank=rank, score=0.0, source=self.name)
            for rank, passage in enumerate(passages, start=1)
        )
        if not reply.text.strip():
            reason = "the system returned an empty text"
            return Answer(question_id=question.id, status="empty", reason=reason, contexts=hits, retrieved=hits)
        return Answer(question_id=question.id, text=reply.text, contexts=hits, retrieved=hits)


def target_of(spelled: str) -> str:
    """Return what names a system in tables and files: a URL without the key that may stand in it."""
    return address_of(spelled).url if spelled.startswith(_SCHEMES) else spelled


def open_call(target: str) -> Call:
    """Return how a system is called: POST for a URL, else the function that `module:function` names.

    Raises:
        ConfigError: The module or the function is not there.
    """
    if target.startswith(_SCHEMES):
        wire = Wire(target, timeout_seconds=_DAY_SECONDS)

        async def post(request: Request) -> JsonValue:
            return dict(await wire.post("", request))

        return post
    module, separator, name = target.partition(":")
    if not (module and separator and name):
        msg = f"--system {target!r}: give a URL, or module:function such as my_rag:answer"
        raise ConfigError(msg)
    function = _function(target, module, name)

    async def call(request: Request) -> JsonValue:
        if inspect.iscoroutinefunction(function):
            return cast("JsonValue", await function(request))
        returned = await _in_thread(function, request)
        return cast("JsonValue", await returned if inspect.isawaitable(returned) else returned)

    return call


async def _in_thread(function: Callable[[Request], object], request: Request) -> object:
    """Call a function that may take as long as it likes.

    Its thread is a daemon and none of the loop's pool: one that never returns must not hold the command back when
    its time is over, or when it is interrupted.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[object] = loop.create_future()

    def tell(returned: object, error: Exception | None) -> None:
        """Pass the outcome on, unless nobody waits for it any more."""
        if done.done():
            return  # given up meanwhile
        if error:
            done.set_exception(error)
        else:
            done.set_result(returned)

    def work() -> None:
        """Call the function and tell what came of it."""
        returned: object = None
        raised: Exception | None = None
        try:
            returned = function(request)
        except Exception as error:  # noqa: BLE001 - the fault is one answer's, and named there
            raised = error
        except (SystemExit, KeyboardInterrupt) as error:
            raised = RuntimeError(f"the function left with {type(error).__name__}: {error}")
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tell, returned, raised)

    threading.Thread(target=work, daemon=True, name=STAGE).start()
    return await done


def _function(target: str, module: str, name: str) -> Callable[[Request], object]:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: object = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        msg = f"--system {target!r}: {error}; the module is looked for in {here!r} and among installed packages"
        raise ConfigError(msg) from error
    except Exception as error:  # the user's module does what it likes while it is read
        msg = f"--system {target!r}: {module!r} cannot be imported: {type(error).__name__}: {error}; mend the module"
        raise ConfigError(msg) from error
    if not callable(found):
        msg = f"--system {target!r}: {name!r} is not a function"
        raise ConfigError(msg)
    return found

"""A prompt file: its turns, its holes, and how they are filled.

A file has a part `# system`, a part `# user`, or both. `{{name}}` is a plain hole for a number, an id or a
short word. `{{#name}}` is a block hole for text that somebody else wrote: documents, questions, answers. A
block's border is made of a hash of all contents, so that no content can close its own block, and the same
contents always make the same prompt.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from astrolabe.core.ids import content_id
from astrolabe.core.prompt import Message, Role

PLAIN_CHARACTERS: Final = 200
"""The most characters that a plain hole takes."""

_HOLE: Final = re.compile(r"\{\{(#?)([a-z][a-z0-9_]*)\}\}")
_PART: Final = re.compile(r"^# (system|user)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt file as it was read."""

    name: str
    parts: tuple[Message, ...]

    @classmethod
    def parse(cls, name: str, text: str) -> "Template":
        """Cut a prompt file into its parts.

        Raises:
            ValueError: Text before the first part, a part twice or empty, no part, or braces that are no hole.
        """
        before, *rest = _PART.split(text)
        parts = tuple(
            Message(role=cast("Role", role), content=content.strip())
            for role, content in zip(rest[::2], rest[1::2], strict=True)
        )
        roles = [part.role for part in parts]
        if before.strip() or roles not in (["system"], ["user"], ["system", "user"]):
            raise ValueError(f"prompt {name!r} needs '# system', then '# user', each at most once, not {roles!r}")
        for part in parts:
            rest_of_part = _HOLE.sub("", part.content)
            if not part.content or "{{" in rest_of_part or "}}" in rest_of_part:
                raise ValueError(
                    f"prompt {name!r}, part {part.role!r}: empty, or braces that are no hole like {{{{a}}}}"
                )
        return cls(name, parts)

    @property
    def holes(self) -> frozenset[str]:
        """The names of all holes."""
        return frozenset(hole[1] for part in self.parts for hole in _HOLE.findall(part.content))

    @property
    def blocks(self) -> frozenset[str]:
        """The names of the holes that hold text of others."""
        return frozenset(hole[1] for part in self.parts for hole in _HOLE.findall(part.content) if hole[0])

    def fill(self, holes: Mapping[str, str]) -> tuple[Message, ...]:
        """Return the parts with every hole filled once; what was filled in is never read again.

        Raises:
            ValueError: A hole is missing or unknown, or a plain hole's content is longer than a short word.
        """
        if wrong := self.holes ^ holes.keys():
            missing, unknown = sorted(wrong & self.holes), sorted(wrong - self.holes)
            raise ValueError(
                f"prompt {self.name!r} has the holes {sorted(self.holes)!r}: missing {missing!r}, unknown {unknown!r}"
            )
        border = block_name(holes)

        def filled(hole: re.Match[str]) -> str:
            name = hole[2]
            content = holes[name]
            return f'<{border} name="{name}">\n{content}\n</{border}>' if hole[1] else self._plain(name, content)

        return tuple(Message(role=part.role, content=_HOLE.sub(filled, part.content)) for part in self.parts)

    def _plain(self, name: str, content: str) -> str:
        if len(content) > PLAIN_CHARACTERS or len(content.splitlines()) > 1:
            raise ValueError(
                f"prompt {self.name!r}: the plain hole {name!r} takes one line of at most {PLAIN_CHARACTERS} "
                f"characters, got {content[:60]!r}...; write {{{{#{name}}}}} in the file to make it a block"
            )
        return content


def block_name(holes: Mapping[str, str]) -> str:
    """Return the name of the tags around blocks: it depends on every content, so none can foretell it."""
    return content_id("block", *(part for name in sorted(holes) for part in (name, holes[name])))


def numbered(items: Sequence[str]) -> str:
    r"""Return items one a line, numbered from 1, each as a JSON string so that none can pose as two.

    Examples:
        >>> print(numbered(["costs; prices", "line one\nline two"]))
        1: "costs; prices"
        2: "line one\nline two"
    """
    return labelled({str(number): item for number, item in enumerate(items, start=1)})


def labelled(items: Mapping[str, str]) -> str:
    """Return items one a line under their labels, each as a JSON string.

    Examples:
        >>> print(labelled({"A1": "costs", "H1": "a tax"}))
        A1: "costs"
        H1: "a tax"
    """
    return "\n".join(f"{label}: {json.dumps(item, ensure_ascii=False)}" for label, item in items.items())

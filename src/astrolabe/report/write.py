"""Writing a report: each file whole, in every format asked for."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, get_args

from astrolabe.report.banners import all_banners
from astrolabe.report.finding import finding
from astrolabe.report.formats import escape_latex, escape_markdown, to_csv, to_latex, to_markdown
from astrolabe.report.material import Material
from astrolabe.report.page import render_page
from astrolabe.report.tables import all_tables
from astrolabe.store.files import write_whole

Format = Literal["html", "md", "latex", "csv"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)


def write_report(material: Material, folder: Path, formats: Sequence[Format] = ("html",)) -> list[Path]:
    r"""Write a report into a folder and return the files written, in the order of the formats.

    `html` is `report.html`, which needs nothing beside it; `md` is `report.md`; `latex` is `report.tex`, to be
    read with `\input`; `csv` is one file a table in `tables/`.

    Raises:
        UserError: The folder cannot be written to.
    """
    written: list[Path] = []
    for form in dict.fromkeys(formats):
        for name, content in _WRITERS[form](material).items():
            write_whole(folder / name, content)
            written.append(folder / name)
    return written


def _html(material: Material) -> Mapping[str, str]:
    return {"report.html": render_page(material)}


def _markdown(material: Material) -> Mapping[str, str]:
    said = [f"> **{escape_markdown(banner)}**\n" for banner in all_banners(material)]
    facts = [f"- {escape_markdown(name)}: {escape_markdown(value)}" for name, value in material.facts.items()]
    parts = [
        f"# {escape_markdown(material.title)}\n",
        *said,
        f"{escape_markdown(finding(material))}\n",
        *(to_markdown(table) for table in all_tables(material)),
        "**How these numbers were made**\n",
        *facts,
        f"- date: {material.made_at.isoformat(timespec='seconds')}",
    ]
    return {"report.md": "\n".join(parts) + "\n"}


def _latex(material: Material) -> Mapping[str, str]:
    said = all_banners(material)
    head = [
        "% Needs \\usepackage{booktabs,graphicx} and, for names in other scripts, XeLaTeX or LuaLaTeX.",
        *(f"% {escape_latex(line)}" for line in (material.title, *said)),
        *(rf"\noindent\textbf{{{escape_latex(banner)}}}\par" for banner in said),
    ]
    return {"report.tex": "\n".join([*head, "", *(to_latex(table) for table in all_tables(material))])}


def _csv(material: Material) -> Mapping[str, str]:
    return {f"tables/{table.name}.csv": to_csv(table) for table in all_tables(material)}


_WRITERS: Final[Mapping[Format, Callable[[Material], Mapping[str, str]]]] = {
    "html": _html,
    "md": _markdown,
    "latex": _latex,
    "csv": _csv,
}

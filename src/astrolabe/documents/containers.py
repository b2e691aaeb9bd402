"""DOCX and EPUB: HTML in a zip file."""

# mammoth has no types:
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import io
import zipfile
from typing import Final

from astrolabe.documents.extract import Extract, Unreadable
from astrolabe.documents.markup import inline, render
from astrolabe.documents.plain import iso_date
from astrolabe.documents.sniff import MEDIA_TYPES
from astrolabe.documents.tree import Element, parse_html, parse_xml

_MOST_UNPACKED: Final = 500_000_000
"""A container that unpacks to more bytes than this is a bomb, not a document."""


def read_docx(content: bytes) -> Extract:
    """Return a Word document's text with its headings, lists and tables.

    Raises:
        Unreadable: The container is damaged.
    """
    from mammoth import convert_to_html, images

    with _open(content) as archive:
        title = _property(archive, "docProps/core.xml", "title")
    # A picture inside the text would be megabytes of base64.
    without_pictures = images.img_element(_no_picture)
    html: str = convert_to_html(io.BytesIO(content), convert_image=without_pictures).value
    page = parse_html(html)
    if page is None:
        return Extract(media_type=MEDIA_TYPES["docx"], title=title)
    first = next((inline(element) for element in page.iter("h1", "h2")), None)
    return Extract(text=render(page), media_type=MEDIA_TYPES["docx"], title=title or first)


def read_epub(content: bytes) -> Extract:
    """Return a book's text in the order of its spine.

    Raises:
        Unreadable: The container is damaged, encrypted or lists no chapters.
    """
    with _open(content) as archive:
        try:
            root = parse_xml(archive.read("META-INF/container.xml"))
            package = root.xpath("string(//*[local-name()='rootfile']/@full-path)")
            book = parse_xml(archive.read(str(package)))
            folder = str(package).rpartition("/")[0]
            names = _spine(book, f"{folder}/" if folder else "")
            pages = [parse_html(archive.read(name).decode("utf-8", "replace")) for name in names]
        except (KeyError, zipfile.BadZipFile, RuntimeError) as error:
            msg = f"a damaged or encrypted EPUB: {error}"
            raise Unreadable(msg) from error
        date = iso_date(str(book.xpath("string(//*[local-name()='date'])")))
        title = str(book.xpath("string(//*[local-name()='title'])"))
    text = "\n\n".join(filter(None, (render(page) for page in pages if page is not None)))
    return Extract(text=text, media_type=MEDIA_TYPES["epub"], title=title, date=date)


def _spine(book: Element, folder: str) -> list[str]:
    from urllib.parse import unquote

    files = {item.get("id"): item.get("href") or "" for item in book.iter("{*}item")}
    order = [files.get(item.get("idref")) for item in book.iter("{*}itemref")]
    return [folder + unquote(href) for href in order if href]


def _no_picture(_image: object) -> dict[str, str]:
    return {"src": ""}


def _open(content: bytes) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except zipfile.BadZipFile as error:
        msg = f"a damaged zip container: {error}"
        raise Unreadable(msg) from error
    unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > _MOST_UNPACKED:
        msg = f"unpacks to {unpacked} bytes, more than the {_MOST_UNPACKED} that are read"
        raise Unreadable(msg)
    return archive


def _property(archive: zipfile.ZipFile, name: str, key: str) -> str | None:
    try:
        properties = parse_xml(archive.read(name))
    except (KeyError, Unreadable):
        return None
    return str(properties.xpath(f"string(//*[local-name()='{key}'])")) or None

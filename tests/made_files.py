"""Small PDF, DOCX and EPUB files, made by hand so that a test shows all that is in them."""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Printed:
    """A line printed on a page: its place in points from the lower left, its type size."""

    text: str
    left: float
    bottom: float
    size: float = 10.0


def make_pdf(
    pages: Sequence[Sequence[Printed]], *, title: str = "", pictures: Sequence[int] = (), encrypted: bool = False
) -> bytes:
    """Return a PDF; `pictures` are the indexes of pages with a picture."""
    objects: list[bytes] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        (
            b"<< /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\n"
            b"stream\n\x80\nendstream"
        ),
        b"<< /Title (%s) >>" % _escaped(title),
        b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (b"5a" * 32, b"a5" * 32),
    ]
    kids: list[int] = []
    for number, lines in enumerate(pages):
        drawn = b"".join(
            b"BT /F1 %.2f Tf %.2f %.2f Td (%s) Tj ET\n" % (line.size, line.left, line.bottom, _escaped(line.text))
            for line in lines
        )
        if number in pictures:
            drawn += b"q 100 0 0 100 50 50 cm /I1 Do Q\n"
        objects.append(b"<< /Length %d >>\nstream\n%sendstream" % (len(drawn), drawn))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> /XObject << /I1 4 0 R >> >> >>" % len(objects)
        )
        kids.append(len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(b"%d 0 R" % kid for kid in kids), len(kids))
    return _assembled(objects, encrypted=encrypted)


def _assembled(objects: Sequence[bytes], *, encrypted: bool) -> bytes:
    out = b"%PDF-1.4\n"
    places: list[int] = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    locked = b" /Encrypt 6 0 R /ID [<00> <00>]" if encrypted else b""
    size = len(objects) + 1
    return (
        out
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
        + b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (size, locked, len(out))
    )


def _escaped(text: str) -> bytes:
    return text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def make_docx(body: str, *, title: str = "") -> bytes:
    """Return a Word document whose body is this WordprocessingML."""
    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    kinds = "http://schemas.openxmlformats.org/package/2006/content-types"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    return make_zip(
        {
            "[Content_Types].xml": f'<Types xmlns="{kinds}"><Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{main}.document.main+xml"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" '
            f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" '
            f'Type="{office}/styles" Target="styles.xml"/></Relationships>',
            "word/styles.xml": f'<w:styles {word}><w:style w:type="paragraph" w:styleId="Heading1">'
            '<w:name w:val="heading 1"/></w:style></w:styles>',
            "word/document.xml": f"<w:document {word}><w:body>{body}</w:body></w:document>",
            "docProps/core.xml": '<c:coreProperties xmlns:c="urn:c" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<dc:title>{title}</dc:title></c:coreProperties>",
        }
    )


def make_epub(chapters: Sequence[str], *, title: str, date: str) -> bytes:
    """Return a book whose spine lists these HTML chapters."""
    items = "".join(f'<item id="c{n}" href="c%20{n}.xhtml"/>' for n in range(len(chapters)))
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    return make_zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
            "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title><dc:date>{date}</dc:date></metadata>'
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
            **{f"OEBPS/c {n}.xhtml": chapter for n, chapter in enumerate(chapters)},
        }
    )


def make_zip(files: dict[str, str]) -> bytes:
    """Return a zip file of texts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()

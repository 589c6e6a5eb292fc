"""Bytes as text, in the encoding that is given or else the likeliest one."""

import codecs

__all__ = ["DEFAULT", "as_utf8", "decoded", "is_binary"]

DEFAULT = "windows-1252"
"""What text is most often in if it is not Unicode."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b"))


def decoded(raw: bytes, encoding: str | None = None) -> tuple[str, str | None]:
    """The text without a byte order mark, and the name of the encoding if it was guessed.

    Not given, it is what a byte order mark says, or UTF-8; or else Windows-1252, which every other Western European
    file is likely in, unless most of the file is UTF-8: such a file is damaged, and refused.

    >>> decoded("naïve".encode()), decoded("naïve".encode("latin-1"))
    (('naïve', None), ('naïve', 'windows-1252'))
    """
    if encoding is None:
        encoding = next((name for mark, name in _MARKS if raw.startswith(mark)), None)
        if encoding is None:
            return _likeliest(raw)
    try:
        return raw.decode(encoding).removeprefix("\ufeff"), None
    except LookupError:
        raise ValueError(f"there is no encoding {encoding!r}") from None


def as_utf8(head: bytes) -> bytes:
    """How a file begins, in UTF-8 if a mark says that it is UTF-16 or UTF-32.

    >>> as_utf8("a cat".encode("utf-16")), as_utf8(b"a cat")
    (b'a cat', b'a cat')
    """
    encoding = next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8")
    return head if encoding == "utf-8" else head.decode(encoding, "ignore").encode("utf-8", "ignore")


def is_binary(raw: bytes) -> bool:
    """Whether bytes have signs that no text has.

    >>> is_binary(b"a cat"), is_binary(bytes(8)), is_binary("a cat".encode("utf-16"))
    (False, True, False)
    """
    if raw.startswith(tuple(mark for mark, _ in _MARKS)):
        return False
    return len(raw.translate(None, _CONTROLS)) < len(raw)


def _likeliest(raw: bytes) -> tuple[str, str | None]:
    try:
        return raw.decode("utf-8"), None
    except UnicodeDecodeError as error:
        damage = error
    # In Western European text, hardly ever do two letters in a row look like one of UTF-8.
    lossy = raw.decode("utf-8", "replace")
    wrong = lossy.count("\ufffd")
    right = len(lossy) - len(lossy.encode("ascii", "ignore")) - wrong
    if right <= wrong and not is_binary(raw):
        try:
            return raw.decode(DEFAULT), DEFAULT
        except UnicodeDecodeError:
            pass
    raise damage

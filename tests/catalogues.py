"""Catalogues that tests make: a small one, and one of all texts in a language that nobody speaks.

The pseudo-language has an accent on every vowel, is longer than English, and puts every text in
brackets: what is shown without them cannot be translated or is glued together from pieces.
"""

import shutil
from pathlib import Path

from babel.messages.catalog import Message

from centerpiece.locale.catalogue import FOLDER, Catalogues
from tools.texts import HOLE, begun, merged, texts, written

ACCENTS = str.maketrans("aeiouAEIOU", "áéíóúÁÉÍÓÚ")


def with_esperanto(folder: Path, entries: str = "") -> Catalogues:
    """Return the program's languages and Esperanto, with these entries."""
    path = folder / "locale" / "eo" / "LC_MESSAGES" / "centerpiece.po"
    shutil.copytree(FOLDER, folder / "locale")
    path.parent.mkdir(parents=True)
    path.write_text(f"{begun('eo', 90)}\n\n{entries}\n", "utf-8")
    return Catalogues(folder / "locale")


def pseudo(text: str) -> str:
    """Return a text in the pseudo-language, 40 % longer; its holes stay."""
    pieces, end = [], 0
    for hole in HOLE.finditer(text):
        pieces += [text[end : hole.start()].translate(ACCENTS), hole[0]]
        end = hole.end()
    pieces.append(text[end:].translate(ACCENTS))
    return f"⟦{''.join(pieces)}{' ~' * round(0.2 * len(text))}⟧"


def with_pseudo(folder: Path) -> Catalogues:
    """Return the program's languages and the pseudo-language, called `eo`."""
    wanted = texts()
    entries = []
    for text in wanted:
        message = Message(text.english, pseudo(text.english), context=text.context or None)
        message.flags = set()
        entries.append(message)
    languages = with_esperanto(folder)
    path = languages.folder / "eo" / "LC_MESSAGES" / "centerpiece.po"
    path.write_text(written(begun("eo", 90), merged(entries, wanted)), "utf-8")
    return Catalogues(languages.folder)

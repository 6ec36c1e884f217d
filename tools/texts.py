"""Bring every catalogue up to date with the texts of the program: `python tools/texts.py`.

    python tools/texts.py             new texts are empty, reworded ones fuzzy, others dropped
    python tools/texts.py --new de    begin a catalogue; `pt_BR` is a language of one country

English texts with keys are in `centerpiece/locale/english.json`; the others are templates in the
code. Running this twice changes nothing more.
"""

import argparse
import ast
import io
import re
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from babel import Locale  # noqa: E402
from babel.messages.catalog import Catalog, Message  # noqa: E402
from babel.messages.plurals import get_plural  # noqa: E402
from babel.messages.pofile import read_po, write_po  # noqa: E402

from centerpiece.games.registry import GAMES  # noqa: E402
from centerpiece.locale.catalogue import CATALOGUES, FOLDER, header  # noqa: E402
from centerpiece.panel.bindings import DIGIT  # noqa: E402
from centerpiece.panel.lookup import panel_of  # noqa: E402
from centerpiece.rules.rule_settings import Statement  # noqa: E402

SPOKEN = ("games", "hub", "panel", "reports", "rules", "storage", "table", "text", "web")
"""Packages with sentences for players; the others' messages are for the hub's owner."""
HALL = ("desk", "documents", "hall_pages", "hall_process", "line_board")
"""Modules of the hall with sentences for players."""
SIMULATOR = ("sim/lights.py", "sim/sound.py")
SENTENCE = re.compile(r"[^<>]*([.!]\)?|(?<!= )\?|: \{\w+\})")
HOLE = re.compile(r"\{(\w+)(?::(\w+))?((?:\|[^{}|]*)*)\}")
FIRST_FOLDER, FOLDERS = 10, 10
"""A language's clips are in ten folders of the 99 on a module's card."""
FIXED_FOLDERS = {"de": 30, "fr": 40, "nl": 50, "pt_BR": 60, "it": 70}
NOTES = {
    "page": "On the pages.",
    "hall": "On the pages of a hall.",
    "voice": "Said aloud by the hub.",
    "grammar": "A word that the hub's voice needs.",
    "number": "A number word of the hub's voice; docs/voice.md explains it.",
}
SCRIPTS = {
    "page": ("centerpiece/web/static/*.js", "centerpiece/web/*.py"),
    "hall": ("centerpiece/hall/server/static/*.js", "centerpiece/hall/server/*.py"),
    "voice": ("centerpiece/speech/caller.py", "centerpiece/games/*/game.py"),
}
"""Files that may name a key of a part."""


class Text(NamedTuple):
    """A text to translate: its key and what a translator should know."""

    context: str
    english: str
    note: str
    places: tuple[str, ...]


def texts() -> list[Text]:
    """Return all texts of the program, in a fixed order."""
    found: dict[tuple[str, str], Text] = {}
    for text in (*keyed(), *aloud(), *core()):
        key = (text.context, text.english)
        before = found.get(key)
        if before is not None:
            text = Text(*key, before.note or text.note, tuple({*before.places, *text.places}))
        found[key] = text._replace(places=tuple(sorted(text.places)))
    return list(found.values())


def keyed() -> Iterator[Text]:
    """Yield the texts of `english.json` that have keys."""
    for part, note in NOTES.items():
        files = [path for pattern in SCRIPTS.get(part, ()) for path in sorted(ROOT.glob(pattern))]
        sources = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in files}
        for key, text in CATALOGUES.english[part].items():
            places = tuple(path for path, source in sources.items() if f'"{key}"' in source)
            yield Text(f"{part} {key}", text, note, places)


def aloud() -> Iterator[Text]:
    """Yield the spoken forms of the pages' sentences."""
    for template, text in CATALOGUES.english["aloud"].items():
        note = "Said aloud." if template == text else f"Said aloud; the pages show: {template}"
        yield Text("aloud", text, note, ())


def core() -> Iterator[Text]:
    """Yield everything the hub can say in templates: sentences, rule cards, words of buttons."""
    for path in program_files():
        place = path.relative_to(ROOT).as_posix()
        for text in spoken(ast.parse(path.read_text("utf-8"))):
            yield Text("", text, "", (place,))
    for path in sorted(ROOT.glob("centerpiece/**/static/*.js")):
        source = path.read_text("utf-8")
        for text in re.findall(r'\b(?:word\(|template(?:: | = ))"([^"\n]+)"', source):
            yield Text("", text, "", (path.relative_to(ROOT).as_posix(),))
    for game in GAMES.games.values():
        of = f"{game.title}: "
        for binding in panel_of(game).bindings:
            for text in (binding.label, binding.words):
                if text not in ("", DIGIT):
                    yield Text("", text, "What a button does.", ())
        for offer in game.offers():
            for text in filter(None, (offer.words, offer.short, offer.off)):
                yield Text("", text, of + "a button on the pages.", ())
        for text in game.key_settings.values():
            yield Text("", text, of + "a question about the rules.", ())
        for step in game.lesson:
            for text in (step.title, step.words):
                yield Text("", text, of + "the game in two minutes.", ())
        for line in game.rules.declared.values():
            yield Text("", line.section, "A heading of the rule card.", ())
            if isinstance(line, Statement):
                yield Text("", line.words, of + "the rule card.", ())
        for setting in game.rules.settings.values():
            yield Text("", setting.expected.template, of + "allowed values of a setting.", ())
            for text in filter(None, (*setting.said.values(), setting.otherwise)):
                yield Text("", text, of + "the rule card.", ())


def program_files() -> list[Path]:
    """Return the modules with sentences for players."""
    house = ROOT / "centerpiece"
    rooms = [
        path
        for path in house.rglob("*.py")
        if path.relative_to(house).parts[0].removesuffix(".py") in SPOKEN
    ]
    hall = [house / "hall" / "server" / f"{name}.py" for name in HALL]
    return sorted([*rooms, *hall, *(ROOT / name for name in SIMULATOR)])


def spoken(tree: ast.Module) -> Iterator[str]:
    """Yield every text of a module that reads like a sentence, except docstrings and f-strings.

    A part of another sentence, such as a reason, is found as a sentence of its own.
    """
    quiet: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            quiet.update(id(part) for part in ast.walk(node))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            quiet.add(id(node.value))
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name("Sentence"), args=[ast.Constant(str(text)), *_]):
                if re.search("[a-z]", re.sub(r"\{\w+\}", "", text)):
                    yield text
            case ast.Call(func=ast.Name("Siding"), args=[_, *words]):
                for word in words:
                    if isinstance(word, ast.Constant) and isinstance(word.value, str):
                        yield word.value
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in quiet:
            text = node.value.strip()
            if " " in text and SENTENCE.fullmatch(text):
                yield text


# Catalogues


def path_of(language: str) -> Path:
    """Return a language's catalogue."""
    return FOLDER / language / "LC_MESSAGES" / "centerpiece.po"


def languages() -> list[str]:
    """Return the names of the languages' folders."""
    return sorted(path.parts[-3] for path in FOLDER.glob("*/LC_MESSAGES/centerpiece.po"))


def read(language: str) -> Catalog:
    """Return a language's catalogue as it is in its file."""
    with path_of(language).open("rb") as file:
        return read_po(file, abort_invalid=True)


def merged(old: Iterable[Message], wanted: list[Text]) -> Catalog:
    """Return the wanted texts with the translations of a catalogue."""
    known = {(m.context or "", str(m.id)): m for m in old if m.id and m.string}
    names = {(text.context, text.english) for text in wanted}
    by_context = {context: m for (context, _), m in known.items() if " " in context}
    gone = [m for key, m in known.items() if key not in names]
    result = Catalog()
    for text in wanted:
        found = known.get((text.context, text.english))
        fuzzy = found.fuzzy if found else True
        found = found or by_context.get(text.context) or _close(text, gone)
        same = found is None or found.id == text.english
        message = Message(
            text.english,
            found.string if found else "",
            locations=[(place, 0) for place in text.places],
            auto_comments=[text.note] if text.note else [],
            user_comments=found.user_comments if found else [],
            previous_id=() if same or found is None else found.id,
            context=text.context or None,
        )
        message.flags = {"fuzzy"} if found and fuzzy else set()
        # Not set as an item, which would join texts that differ in their context alone.
        result._messages[(text.english, text.context)] = message
    return result


def _close(text: Text, gone: list[Message]) -> Message | None:
    """Return a dropped entry that was probably this text before it was reworded or moved."""
    alike = {
        str(m.id): m for m in gone if (m.context or "").split(" ")[0] == text.context.split(" ")[0]
    }
    close = get_close_matches(text.english, list(alike), 1, 0.7)
    return alike[close[0]] if close else None


def written(head: str, catalogue: Catalog) -> str:
    """Return the content of a catalogue's file."""
    file = io.BytesIO()
    how = {"omit_header": True, "include_lineno": False, "include_previous": True}
    write_po(file, catalogue, width=100, **how)
    return f"{head}\n\n{file.getvalue().decode().strip()}\n"


def update(language: str, wanted: list[Text]) -> str:
    """Return a catalogue's content with all wanted texts and no others."""
    head = path_of(language).read_text("utf-8").split("\n\n", 1)[0]
    return written(head, merged(read(language), wanted))


def begun(language: str, folder: int) -> str:
    """Return the header of a new catalogue."""
    locale = Locale.parse(language)
    plural = get_plural(locale)
    name = (locale.get_display_name() if locale.territory else locale.get_language_name()) or ""
    lines = {
        "Project-Id-Version": "centerpiece",
        "PO-Revision-Date": "2026-11-18 00:00+0000",
        "Last-Translator": "nobody yet",
        "Language-Team": locale.english_name,
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": f"nplurals={plural.num_plurals}; plural={plural.plural_expr};",
        "X-Name": name[:1].upper() + name[1:],
        "X-Unreviewed": "Not yet reviewed by a native speaker",
        "X-Card-Folder": str(folder),
        "X-Card-Version": "1",
    }
    fields = "\n".join(f'"{name}: {value}\\n"' for name, value in lines.items())
    return f'# {locale.english_name} texts of the centerpiece.\nmsgid ""\nmsgstr ""\n{fields}'


def next_folder() -> int:
    """Return the first of ten folders that no catalogue uses, on a module's card."""
    heads = [header(path_of(each).read_text("utf-8")) for each in languages()]
    used = {FIRST_FOLDER, *FIXED_FOLDERS.values(), *(int(h["X-Card-Folder"]) for h in heads)}
    return next(first for first in range(FIRST_FOLDER, 99, FOLDERS) if first not in used)


# Faults


def faults(language: str) -> list[str]:
    """Return a line for each entry that is missing, fuzzy, superfluous or does not fit."""
    wanted = {(text.context, text.english): text for text in texts()}
    forms = CATALOGUES.get(language.replace("_", "-")).forms
    lines = []
    seen = set()
    for message in read(language):
        if not message.id:
            continue
        key = (message.context or "", str(message.id))
        seen.add(key)
        if key not in wanted:
            lines.append(f"superfluous: {key}")
        elif not message.string:
            lines.append(f"not translated: {key}")
        elif message.fuzzy:
            lines.append(f"fuzzy: {key}")
        else:
            lines += [f"{fault}: {key}" for fault in misfits(wanted[key], message.string, forms)]
    return lines + [f"missing: {key}" for key in wanted if key not in seen]


def misfits(text: Text, translation: str, forms: int) -> Iterator[str]:
    """Yield what is wrong with the holes of a translation."""
    given = {hole[1] for hole in HOLE.finditer(text.english)}
    used = {hole[1] for hole in HOLE.finditer(translation)}
    if used - given:
        yield f"unknown holes {sorted(used - given)}"
    if text.context and text.context != "aloud" and given - used:
        yield f"forgotten holes {sorted(given - used)}"
    if any(hole[3].count("|") not in (0, forms) for hole in HOLE.finditer(translation)):
        yield f"not {forms} plural forms"
    if (text_alone := re.sub(HOLE, "", translation)).strip(" ") != text_alone.strip(" \r\n"):
        yield "a line break at an end"
    if "{" in re.sub(HOLE, "", translation) or "}" in re.sub(HOLE, "", translation):
        yield "a broken hole"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--new", metavar="LANGUAGE", help="begin a catalogue, such as de or pt_BR")
    wanted = texts()
    if new := parser.parse_args().new:
        if path_of(new).exists():
            parser.error(f"{path_of(new)} exists")
        head = begun(new, FIXED_FOLDERS.get(new) or next_folder())
        path_of(new).parent.mkdir(parents=True)
        path_of(new).write_text(written(head, merged([], wanted)), "utf-8")
    for language in languages():
        path_of(language).write_text(update(language, wanted), "utf-8")
        print(f"{language}: {len(faults(language))} entries to mend")


if __name__ == "__main__":
    main()

"""Problems of the machine that the hub cannot see for itself: the card, an update, the Wi-Fi.

Whoever finds one (the first start, an update, the keeper of the Wi-Fi: all of them root) tells it
here, by its kind. The hub, which may only read, shows it on the page; and because a hub with a
problem may have no page, the same sentences lie on the boot partition, in a file that any computer
can read. A file by its kind is one sentence; a problem that is solved has no file.
"""

import logging
from pathlib import Path

log = logging.getLogger(__name__)

ROOT = Path("/")
FOLDER = Path("/var/lib/centerpiece-problems")
"""Of a protected card, too: there it is in memory, and gone at the next start."""
CARD = Path("/boot/firmware")
NAME = "centerpiece-problem.txt"


def tell(kind: str, sentence: str, root: Path = ROOT) -> None:
    """Write down a problem, or with an empty sentence that it is gone. Never raises for it."""
    folder, found = _below(root, FOLDER), known(root)
    if found.get(kind, "") == sentence:
        return
    found[kind] = sentence
    try:
        if sentence:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / kind).write_text(f"{sentence}\n", "utf-8")
        else:
            (folder / kind).unlink(missing_ok=True)
    except OSError as error:
        log.warning("problem=%s could not be noted: %s", kind, error)
    try:
        _on_card([each for each in found.values() if each], _below(root, CARD) / NAME)
    except OSError as error:
        log.warning("problem=%s could not be written to the card: %s", kind, error)


def _on_card(sentences: list[str], file: Path) -> None:
    """Lines as every computer's editor shows them."""
    if sentences:
        file.write_text("\r\n".join((*sentences, "")), "utf-8", newline="")
    else:
        file.unlink(missing_ok=True)


def _below(root: Path, path: Path) -> Path:
    return root / path.relative_to(ROOT)


def known(root: Path = ROOT) -> dict[str, str]:
    """The problems that there are, by their kind."""
    try:
        found = sorted(path for path in _below(root, FOLDER).iterdir() if path.is_file())
        return {path.name: path.read_text("utf-8", "replace").strip() for path in found}
    except OSError:
        return {}

"""Problems of the machine that other programs find: with the card, an update, the Wi-Fi.

The first start, the update and the Wi-Fi service, all run by root, write one file for each kind of
problem, with one sentence; a solved problem has no file. The hub may only read them, and shows them
on the page. Because a hub with a problem may have no page, the sentences are also in a file on the
boot partition, which any computer can read.
"""

import logging
from pathlib import Path

log = logging.getLogger(__name__)

ROOT = Path("/")
FOLDER = Path("/var/lib/centerpiece-problems")
"""With a write-protected card it is in memory, and gone at the next start."""
CARD = Path("/boot/firmware")
NAME = "centerpiece-problem.txt"


def tell(kind: str, sentence: str, root: Path = ROOT) -> None:
    """Note a problem of this kind, or with an empty sentence that it is solved.

    It is noted for the hub and on the card, below the directory `root`; nothing is written if it is
    known already. A failure to write is only logged.
    """
    folder, sentences = _below(root, FOLDER), known(root)
    if sentences.get(kind, "") == sentence:
        return
    sentences[kind] = sentence
    try:
        if sentence:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / kind).write_text(f"{sentence}\n", "utf-8")
        else:
            (folder / kind).unlink(missing_ok=True)
    except OSError as error:
        log.warning("problem=%s could not be noted: %s", kind, error)
    try:
        _write_on_card(list(filter(None, sentences.values())), _below(root, CARD) / NAME)
    except OSError as error:
        log.warning("problem=%s could not be written to the card: %s", kind, error)


def _write_on_card(sentences: list[str], file: Path) -> None:
    if sentences:  # CRLF, for the editors of all computers
        file.write_text("\r\n".join((*sentences, "")), "utf-8", newline="")
    else:
        file.unlink(missing_ok=True)


def _below(root: Path, path: Path) -> Path:
    return root / path.relative_to(ROOT)


def known(root: Path = ROOT) -> dict[str, str]:
    """Return the sentences of the present problems by kind; none if they cannot be read."""
    try:
        files = sorted(path for path in _below(root, FOLDER).iterdir() if path.is_file())
        return {path.name: path.read_text("utf-8", "replace").strip() for path in files}
    except OSError:
        return {}

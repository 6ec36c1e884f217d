"""The files of the pages: read once, kept in memory, sent compressed where that is understood.

A page is `page.html` around its own script. It arrives with the state of the table in it, readable
before any script has run, and with word of all files that its script will ask for.
Each `.json` file is a language, and whatever offers languages asks which of them there are.
"""

import gzip
import hashlib
import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response

STATIC = Path(__file__).with_name("static")
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
PAGES = {
    "/": "phone",
    "/board": "board",
    "/history": "history",
    "/rules": "rules",
    "/settings": "settings",
}
SIMULATED = {"/hub": "hub", "/table": "table"}
"""Where each page is; those of a simulated hub beside them."""
_WIDTHS = {"board": "wide", "table": "tablet"}
_IMPORTED = re.compile(r'^import .* from "\./(.+)";$', re.MULTILINE)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


class Asset(NamedTuple):
    """A file as it is sent."""

    body: bytes
    packed: bytes | None
    kind: str
    tag: str

    @classmethod
    def of(cls, body: bytes, suffix: str) -> "Asset":
        """Name the content of a file by its digest, and compress it."""
        return cls.plain(body, suffix).compressed()

    @classmethod
    def plain(cls, body: bytes, suffix: str) -> "Asset":
        """Name the content of a file; it is sent as it is."""
        tag = hashlib.sha256(body).hexdigest()[:16]
        return cls(body, None, KINDS[suffix], f'"{tag}"')

    def compressed(self) -> "Asset":
        """Return the same to be sent compressed, unless it is an image that is so already."""
        if self.kind == KINDS[".png"]:
            return self
        return self._replace(packed=gzip.compress(self.body, 9, mtime=0))

    def respond(self, request: Request, cache: str = "no-cache") -> Response:
        """The file, or word that the browser has it already."""
        headers = {"ETag": self.tag, "Cache-Control": cache, "Vary": "Accept-Encoding"}
        if self.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        body = self.body
        if self.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            body = self.packed
            headers["Content-Encoding"] = "gzip"
        return Response(body, headers=headers, media_type=self.kind)


class PageLanguage(msgspec.Struct, frozen=True):
    """A language's file, as far as the server reads it."""

    name: str
    """The language's own name for itself."""
    page: dict[str, str]


class Assets:
    """All files under `static/`."""

    def __init__(self, folder: Path = STATIC) -> None:
        self._files = {
            path.name: Asset.plain(path.read_bytes(), path.suffix)
            for path in sorted(folder.iterdir())
            if path.suffix in KINDS
        }
        self.languages = {
            name.removesuffix(".json"): msgspec.json.decode(asset.body, type=PageLanguage)
            for name, asset in self._files.items()
            if name.endswith(".json")
        }
        self._links: dict[str, str] = {}
        files = msgspec.json.encode(self._kept_offline()).decode()
        self.worker = Asset.of(self._filled("sw.js", {"files": files}).encode(), ".js")

    def compress(self) -> None:
        """Compress all files. It takes a while: until then they are sent as they are."""
        for name, asset in self._files.items():
            self._files[name] = asset.compressed()

    def get(self, name: str) -> Asset | None:
        """A file by its name."""
        return self._files.get(name)

    def page(self, name: str, state: dict[str, Any]) -> str:
        """A page with the table in it."""
        code = state["settings"]["language"]
        words = self.languages.get(code, self.languages["en"]).page
        filled = {
            "name": name,
            "language": code,
            "width": _WIDTHS.get(name, "phone"),
            "files": self._linked(name),
            "data": msgspec.json.encode(state).decode().replace("<", "\\u003c"),
            "summary": summary(state, words) if name == "phone" else "",
        }
        return self._filled("page.html", filled)

    def _linked(self, page: str) -> str:
        if page not in self._links:
            self._links[page] = "\n".join(self._files_of(page))
        return self._links[page]

    def _files_of(self, page: str) -> Iterator[str]:
        """Links to a page's own style, and to all scripts that its own one leads to."""
        if f"{page}.css" in self._files:
            yield f'<link rel="stylesheet" href="/static/{page}.css">'
        scripts = [f"{page}.js"]
        for script in scripts:
            imported = _IMPORTED.findall(self._files[script].body.decode())
            scripts += [name for name in imported if name not in scripts]
        for script in scripts[1:]:
            yield f'<link rel="modulepreload" href="/static/{script}">'

    def _filled(self, name: str, filled: dict[str, str]) -> str:
        """A file with its places filled, all at once: a name at the table may look like one."""
        text = self._files[name].body.decode()
        return _PLACE.sub(lambda place: filled[place[1]], text)

    def _kept_offline(self) -> list[str]:
        """Where a phone finds the pages and files that it keeps: all but the simulator's own."""
        return [
            *PAGES,
            *(
                f"/static/{name}"
                for name in self._files
                if name.split(".")[0] not in ("sw", *SIMULATED.values())
                and not name.endswith((".html", ".png"))
            ),
        ]


def summary(state: dict[str, Any], words: dict[str, str]) -> str:
    """The standings in plain HTML, for the moment before the script runs, or if it never does."""
    rows = "".join(
        f"<tr><th scope=row>{html.escape(seat['name'])}</th><td>{seat['total']}</td></tr>"
        for seat in state["seats"]
    )
    return (
        f"<p class=notice>{html.escape(state['notice'])}</p>"
        f"<table class=plain><caption>{html.escape(words['standings'])}</caption>{rows}</table>"
    )

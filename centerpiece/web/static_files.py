"""The files of the pages: read once, kept in memory, sent compressed to clients that accept it.

A page is `page.html` with its own script. The state of the table is embedded, readable before any
script runs, and so are preload links for all modules that the script imports.
The texts of a language, `es.json`, are made from its catalogue when somebody asks for them.
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

from centerpiece.locale.catalogue import CATALOGUES, Catalogues

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
    "/season": "season",
    "/rules": "rules",
    "/settings": "settings",
}
SIMULATED = {"/hub": "hub", "/table": "table"}
"""Pages by path; a simulated hub has these in addition."""
_WIDTHS = {"board": "wide", "table": "tablet"}
_IMPORTED = re.compile(r'^import .* from "\./(.+)";$', re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


class Asset(NamedTuple):
    """A file ready to be sent."""

    body: bytes
    packed: bytes | None
    kind: str
    tag: str

    @classmethod
    def of(cls, body: bytes, suffix: str) -> "Asset":
        """Return a compressed asset, tagged with its content's digest."""
        return cls.plain(body, suffix).compressed()

    @classmethod
    def plain(cls, body: bytes, suffix: str) -> "Asset":
        """Return an uncompressed asset, tagged with its content's digest."""
        tag = hashlib.sha256(body).hexdigest()[:16]
        return cls(body, None, KINDS[suffix], f'"{tag}"')

    def compressed(self) -> "Asset":
        """Return a compressed copy; PNG images stay as they are."""
        if self.kind == KINDS[".png"]:
            return self
        return self._replace(packed=gzip.compress(self.body, 9, mtime=0))

    def respond(self, request: Request, cache: str = "no-cache") -> Response:
        """Answer with the file, or with 304 if the client has this version.

        It is sent compressed to a client that accepts that. `cache` is the value of Cache-Control.
        """
        headers = {"ETag": self.tag, "Cache-Control": cache, "Vary": "Accept-Encoding"}
        if self.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        body = self.body
        if self.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            body = self.packed
            headers["Content-Encoding"] = "gzip"
        return Response(body, headers=headers, media_type=self.kind)


class Assets:
    """All files under `static/`, and the texts of every language."""

    def __init__(self, folder: Path = STATIC, catalogues: Catalogues = CATALOGUES) -> None:
        self._catalogues = catalogues
        self._files = {
            path.name: Asset.plain(path.read_bytes(), path.suffix)
            for path in sorted(folder.iterdir())
            if path.suffix in KINDS
        }
        self.languages = catalogues.headers
        """The header of each language's catalogue, by code."""
        self._links: dict[str, str] = {}
        files = msgspec.json.encode(self._offline_files()).decode()
        self.worker = Asset.of(self._fill("sw.js", {"files": files}).encode(), ".js")

    def compress(self) -> None:
        """Compress all files. Slow, so a start does it last; until then they are sent plain."""
        for name, asset in list(self._files.items()):
            self._files[name] = asset.compressed()

    def get(self, name: str) -> Asset | None:
        """Return a file by its name, or None.

        A language's texts (`es.json`) are made at the first request for them, which takes a while.
        """
        code = name.removesuffix(".json")
        if name not in self._files and code != name and code in self.languages:
            document = self._catalogues.get(code).document("page")
            self._files[name] = Asset.of(msgspec.json.encode(document), ".json")
        return self._files.get(name)

    def page(self, name: str, state: dict[str, Any]) -> str:
        """Return the HTML of the page `name` with the table's `state`, in the table's language."""
        code = state["settings"]["language"]
        caption = self._catalogues.get(code).text("page", "standings")
        values = {
            "name": name,
            "language": code,
            "width": _WIDTHS.get(name, "phone"),
            "files": self._links_of(name),
            "data": msgspec.json.encode(state).decode().replace("<", "\\u003c"),
            "summary": summary(state, caption) if name == "phone" else "",
        }
        return self._fill("page.html", values)

    def _links_of(self, page: str) -> str:
        if page not in self._links:
            self._links[page] = "\n".join(self._find_links(page))
        return self._links[page]

    def _find_links(self, page: str) -> Iterator[str]:
        """Yield links to a page's stylesheet, if any, and to all modules that its script imports.

        Modules that those import are among them.
        """
        if f"{page}.css" in self._files:
            yield f'<link rel="stylesheet" href="/static/{page}.css">'
        scripts = [f"{page}.js"]
        for script in scripts:
            imported = _IMPORTED.findall(self._files[script].body.decode())
            scripts += [name for name in imported if name not in scripts]
        for script in scripts[1:]:
            yield f'<link rel="modulepreload" href="/static/{script}">'

    def _fill(self, name: str, values: dict[str, str]) -> str:
        """Fill a file's placeholders in one pass: a player's name may look like one."""
        text = self._files[name].body.decode()
        return _PLACEHOLDER.sub(lambda match: values[match[1]], text)

    def _offline_files(self) -> list[str]:
        """Return the paths that a phone caches for offline use.

        Left out are the simulator's pages, the service worker and pictures.
        """
        return [
            *PAGES,
            *(
                f"/static/{name}"
                for name in (*self._files, *(f"{code}.json" for code in self.languages))
                if name.split(".")[0] not in ("sw", *SIMULATED.values())
                and not name.endswith((".html", ".png"))
            ),
        ]


def summary(state: dict[str, Any], caption: str) -> str:
    """Return notice and standings in plain HTML, shown until the script runs, or without scripts.

    `caption` is the heading of the standings.
    """
    rows = "".join(
        f"<tr><th scope=row>{html.escape(seat['name'])}</th><td>{seat['total']}</td></tr>"
        for seat in state["seats"]
    )
    return (
        f"<p class=notice>{html.escape(state['notice'])}</p>"
        f"<table class=plain><caption>{html.escape(caption)}</caption>{rows}</table>"
    )

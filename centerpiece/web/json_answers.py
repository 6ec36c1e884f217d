"""JSON answers, and one shape for every error: `{"error": {"code": "…", "message": "…"}}`.

A message is a sentence for the person at the phone. Its template and facts (`said`) are sent too,
so that the page can translate it.
"""

import logging
from http import HTTPStatus
from typing import Any, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from centerpiece.storage.errors import JournalError
from centerpiece.text import Misfit, Problem, Refused, Sentence, fitted

log = logging.getLogger("centerpiece.web")

T = TypeVar("T")

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; media-src 'self' blob:; manifest-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""Security headers of every answer, errors and crashes included."""

_WORDS = {
    404: Sentence("This page does not exist. The table is at /."),
    405: Sentence("This address does not accept that kind of request."),
    500: Sentence("Something went wrong in the hub. Nothing was lost; try again."),
}
_CODES = {404: "not-found", 405: "method", 500: "internal"}


class WebError(Problem):
    """A request that cannot be answered."""

    def __init__(
        self, status: int, code: str, template: str, *, wait: int | None = None, **facts: Any
    ) -> None:
        super().__init__(template, **facts)
        self.status = status
        self.code = code
        self.wait = wait
        """Seconds for the header Retry-After."""


def answer(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a JSON response that is not cached."""
    headers = {"Cache-Control": "no-store"} | (headers or {})
    return Response(msgspec.json.encode(body), status, headers, "application/json")


def failure(
    status: int, code: str, sentence: Sentence, headers: dict[str, str] | None = None
) -> Response:
    """Return an error response: `code` is for programs, `sentence` for people."""
    error = {"code": code, "message": str(sentence), "said": sentence}
    return answer({"error": error}, status, headers)


async def on_problem(request: Request, error: Exception) -> Response:
    """Return the error response for a Problem: its sentence, and the status for its class."""
    assert isinstance(error, Problem)
    status, wait = _status_of(error)
    headers = {} if wait is None else {"Retry-After": str(wait)}
    return failure(status, error.code, error.sentence, headers)


def _status_of(error: Problem) -> tuple[int, int | None]:
    """Return the HTTP status for an error, and the seconds for Retry-After, or None."""
    match error:
        case WebError():
            return error.status, error.wait
        case Refused():
            return 409, None
        case Misfit():
            return 422, None
        case JournalError():
            return 503, 5
        case _:
            return 500, None


async def on_http_error(request: Request, error: Exception) -> Response:
    """Return the error response for an HTTPException, such as for an unknown page or method."""
    assert isinstance(error, HTTPException)
    status = error.status_code
    words = _WORDS.get(status) or Sentence(HTTPStatus(status).phrase + ".")
    headers = dict(error.headers or {})
    return failure(status, _CODES.get(status, "http"), words, headers)


async def on_crash(request: Request, error: Exception) -> Response:
    """Answer a bug with 500. Logs it without the request's cookies or body."""
    log.error("request=crashed path=%s", request.url.path, exc_info=error)
    # Starlette calls this outside of all middleware, so `Guard` does not add the headers.
    return failure(500, _CODES[500], _WORDS[500], HEADERS)


HANDLERS: dict[Any, Any] = {
    Problem: on_problem,
    HTTPException: on_http_error,
    Exception: on_crash,
}


def fitting(body: bytes, decoder: "msgspec.json.Decoder[T]") -> T:
    """Decode a request's body; raise a `Misfit` if it is no JSON or does not fit the type.

    For a body that does not fit, the error names the field.
    """
    try:
        try:
            return decoder.decode(body)
        except msgspec.ValidationError:
            # Only a bad request is read a second time, to find out which field is wrong.
            return fitted(msgspec.json.decode(body), decoder.type)  # type: ignore[no-any-return]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Misfit("The request is not JSON: {problem}.", problem=str(error)) from None
    except RecursionError:
        raise Misfit("The request is nested too deeply.") from None

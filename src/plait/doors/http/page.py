"""The files of the web page, where they were built into the package."""

from __future__ import annotations

import mimetypes
import re
from pathlib import Path

from starlette.responses import FileResponse, PlainTextResponse, Response

from plait.doors.http.guard import PAGE_POLICY

FOLDER = Path(__file__).parent.parent / "page"

MISSING = (
    "The web page is not in this copy of plait: `make page` in its sources builds it. "
    "The API is there: /api/v1/openapi.json describes it.\n"
)

YEAR = 365 * 86_400


def page(folder: Path, path: str) -> Response:
    """Return the file that a path (without a slash before it) names; for any other that of the page itself.

    Names of assets hold a digest of what is in them, so they are kept; the page is not.
    """
    index = folder / "index.html"
    if not index.is_file():
        return PlainTextResponse(MISSING, 503)
    headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
    if re.fullmatch(r"(assets/)?[A-Za-z0-9_-][A-Za-z0-9_.-]*", path) and (folder / path).is_file():
        if path.startswith("assets/"):
            headers["Cache-Control"] = f"public, max-age={YEAR}, immutable"
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        return FileResponse(folder / path, headers=headers, media_type=kind)
    if path.startswith("assets/"):
        return PlainTextResponse("no such file\n", 404)
    return FileResponse(index, headers=headers, media_type="text/html")

"""Lists that the server gives in pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .calls import Listing
from .core import Core, Scope
from .effects import Emit, Program
from .exchange import send_json


def pages(core: Core, scope: Scope, listing: Listing[Any], *, whole: bool) -> Program[None]:
    """The items of all pages, or the pages as a `whole`."""
    call = listing.first
    while True:
        page = yield from send_json(call, core, scope)
        for item in [page] if whole else page["data"]:
            yield Emit(item)
        if page["next"] is None:
            return
        call = replace(call, query={**listing.first.query, "cursor": page["next"]})

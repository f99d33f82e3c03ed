"""Uploads the files in an input, and puts their URLs in their places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .core import Core, Scope
from .effects import Program
from .sources import is_file
from .uploads import UploadOptions, upload


def with_files(core: Core, scope: Scope, value: Any) -> Program[Any]:
    if is_file(value):
        return (yield from upload(core, scope, value, UploadOptions()))
    if isinstance(value, Mapping):
        changed = {}
        for key, item in value.items():
            changed[key] = yield from with_files(core, scope, item)
        return changed
    if isinstance(value, (list, tuple)):
        items = []
        for item in value:
            items.append((yield from with_files(core, scope, item)))
        return items
    return value

"""The arguments of the behaviour table in Python's habits: snake case, keywords, and seconds for durations."""

import base64
import io

#: Arguments of each call by position; those of `filter`, `query`, `body` and `options` become keywords.
POSITIONAL = {
    "run": ("model", "input"),
    "submit": ("model", "input"),
    "stream": ("model", "input"),
    "wait": ("ref",),
    "subscribe": ("ref",),
    "output": ("ref",),
    "status": ("ref",),
    "result": ("ref",),
    "cancel": ("ref",),
    "requests.get": ("id",),
    "requests.events": ("id",),
    "requests.erase": ("id",),
    "files.upload": ("data",),
    "files.download": ("url",),
    "files.get": ("id",),
    "files.delete": ("id",),
    "webhooks.delivery": ("id",),
    "webhooks.attempt": ("id", "n"),
    "webhooks.replay": ("id",),
    "catalog.model": ("name",),
    "catalog.schema": ("name",),
    "catalog.search": ("query",),
    "catalog.estimate": ("model", "input"),
    "keys.revoke": ("id",),
    "keys.rotate": ("id",),
    "batches.run": ("model", "inputs"),
}

#: Durations of the options, in ms.
DURATIONS = ("timeout", "startTimeout", "cancelAfter")

CYCLE = bytes(range(251))


def upload_bytes(size: int) -> bytes:
    """The bytes that every driver uploads: byte i is i mod 251."""
    return (CYCLE * (size // 251 + 1))[:size]


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def with_files(value: object) -> object:
    """`{ "$blob": size, "name", "type" }` stands for a file."""
    if isinstance(value, list):
        return [with_files(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$blob" in value:
        file = io.BytesIO(upload_bytes(value["$blob"]))
        file.name = value["name"]
        return file
    return {key: with_files(item) for key, item in value.items()}


def keywords_of(options: dict, reports: list) -> dict:
    keywords = {}
    for name, value in options.items():
        if name == "onStatus":
            value = lambda status: reports.append({"status": status})  # noqa: E731
        elif name == "onBegin":
            value = lambda begin: reports.append({"begin": begin})  # noqa: E731
        elif name == "onProgress":
            value = lambda sent, total: reports.append({"progress": [sent, total]})  # noqa: E731
        elif name in DURATIONS:
            value = value / 1_000
        keywords[snake(name)] = value
    return keywords


def arguments_of(call: dict, reports: list) -> tuple:
    args = dict(call.get("args", {}))
    if call["do"] == "webhooks.verify":
        return verification(args)
    if "bytes" in args:
        args["data"] = upload_bytes(args.pop("bytes"))
    positional = [with_files(args.pop(name)) for name in POSITIONAL.get(call["do"], ())]
    keywords: dict = {}
    for name in ("filter", "query", "body"):
        keywords.update({snake(key): value for key, value in args.pop(name, {}).items()})
    keywords.update(keywords_of(args.pop("options", {}), reports))
    if args:
        raise LookupError(f"{call['do']} has no {', '.join(args)}")
    return positional, keywords


def verification(args: dict) -> tuple:
    body = base64.b64decode(args["bodyBase64"]) if "bodyBase64" in args else args["body"].encode()
    keywords = {}
    for name in ("tolerance", "now"):
        if name in args:
            keywords[name] = args[name] / 1_000
    return [body, args["headers"], args["secret"]], keywords

import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Output from "#src/cli/Output.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as PlatformFlags from "#src/cli/platform/PlatformFlags.ts"
import { download } from "./Download.ts"
import * as FileRef from "./FileRef.ts"
import { list } from "./List.ts"
import { upload } from "./Upload.ts"
import type { StoredFile } from "#clients/typescript/Wire.ts"

const flags = {
  fileId: Argument.String("id").pipe(
    Argument.withDescription("The file's id or URL"),
    Argument.filterMap(FileRef.parseId, FileRef.expected)
  ),
  ...PlatformFlags.flags,
  json: Output.json
}

const facts = (file: StoredFile): string =>
  Output.facts(
    ["file", file.id],
    [
      ["name", file.fileName],
      ["url", file.url],
      ["type", file.contentType],
      ["size", file.size === null ? null : `${Output.count(file.size)} bytes`],
      ["status", file.status],
      ["source", file.source],
      ["request", file.requestId],
      ["sha256", file.checksums.sha256],
      ["created", file.createdAt],
      ["uploaded", file.uploadedAt],
      ["expires", file.expiresAt]
    ]
  )

const show = Command.make(
  "show",
  flags,
  Effect.fnUntraced(function* ({ fileId, json }) {
    const file = yield* Platform.call((client, signal) => client.files.get(fileId, { signal }))
    yield* json ? Output.printJson(file) : Console.log(facts(file))
  })
).pipe(
  Command.provide((given) => Platform.layer(given)),
  Command.withDescription("Show one file: its name, type, size, checksum and expiry"),
  Command.withShortDescription("Show one file"),
  Command.withExamples([{ command: "inferlog files show 3q2-7wEvcl8qJ4T0a1B2c3D4" }])
)

const remove = Command.make(
  "delete",
  flags,
  Effect.fnUntraced(function* ({ fileId, json }) {
    yield* Platform.call((client, signal) => client.files.delete(fileId, { signal }))
    yield* json ? Output.printJson({ fileId, deleted: true }) : Console.log(`Deleted ${fileId}.`)
  })
).pipe(
  Command.provide((given) => Platform.layer(given)),
  Command.withDescription("Delete a file permanently. Its URL answers 410 at once"),
  Command.withShortDescription("Delete a file"),
  Command.withExamples([{ command: "inferlog files delete 3q2-7wEvcl8qJ4T0a1B2c3D4" }])
)

export const files = Command.make("files").pipe(
  Command.withDescription(
    "Files of an account, over HTTP. Needs a running server, INFERLOG_URL and INFERLOG_API_KEY, but no data directory"
  ),
  Command.withShortDescription("Upload, list, delete and download files"),
  Command.withSubcommands([upload, list, show, remove, download])
)

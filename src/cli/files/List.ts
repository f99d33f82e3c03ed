import { Console, Effect, Record } from "effect"
import { Command, Flag } from "effect/cli"
import { FileSource } from "#projections/files/FileItem.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as Bytes from "./Bytes.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as PlatformFlags from "#src/cli/platform/PlatformFlags.ts"
import type { ListFilesQuery, StoredFile } from "#clients/typescript/Wire.ts"

/** Files per response of the server. */
const mostPerPage = 100
const mostListed = 1_000

const flags = {
  ...PlatformFlags.flags,
  source: Flag.Literals("source", FileSource.literals).pipe(
    Flag.withDescription("Only uploaded files, or only files made by models"),
    Flag.optional
  ),
  contentType: Flag.String("content-type").pipe(
    Flag.withMetavar("TYPE"),
    Flag.withDescription("Only files of this type, such as image/png or image/*"),
    Flag.optional
  ),
  requestId: Flag.String("request-id").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription("Only files made by this request"),
    Flag.filterMap(...Flags.requestId),
    Flag.optional
  ),
  limit: Flags.count("limit", `Most files to list, from 1 to ${mostListed}`, {
    from: 1,
    to: mostListed,
    byDefault: 20
  }),
  json: Output.json
}

/** Lists up to the limit, with as many calls as needed. */
const listed = (filter: Omit<ListFilesQuery, "limit">, limit: number) =>
  Platform.call(async (client, signal) => {
    const files: Array<StoredFile> = []
    let total = 0
    const query = { ...filter, limit: Math.min(mostPerPage, limit) }
    for await (const page of client.files.list(query, { signal }).pages()) {
      files.push(...page.data)
      total = page.total
      if (files.length >= limit) break
    }
    return { files: files.slice(0, limit), total }
  })

const size = ({ size }: StoredFile): string => (size === null ? "-" : Bytes.format(size))

const table = (files: ReadonlyArray<StoredFile>): string =>
  Output.table(
    ["FILE", "NAME", "TYPE", "SIZE", "STATUS", "SOURCE", "CREATED", "EXPIRES"],
    files.map((file) => [
      file.id,
      file.fileName,
      file.contentType,
      size(file),
      file.status,
      file.source,
      file.createdAt,
      file.expiresAt ?? "-"
    ])
  )

export const list = Command.make(
  "list",
  flags,
  Effect.fnUntraced(function* ({ contentType, json, limit, requestId, source }) {
    const { files, total } = yield* listed(Record.getSomes({ source, contentType, requestId }), limit)
    if (json) return yield* Output.printJson({ files, total })
    if (files.length === 0) return yield* Console.error("No file matches.")
    yield* Console.log(table(files))
    if (total > files.length)
      yield* Console.error(`${Output.count(total)} files match: raise --limit to see more`)
  })
).pipe(
  Command.provide((given) => Platform.layer(given)),
  Command.withDescription(
    "List the files of the key's account, newest first: uploads and files made by models"
  ),
  Command.withShortDescription("List files, newest first"),
  Command.withExamples([
    { command: "inferlog files list --content-type 'image/*'" },
    { command: "inferlog files list --source output --limit 100 --json" }
  ])
)

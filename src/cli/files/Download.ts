import * as path from "node:path"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Output from "#src/cli/Output.ts"
import * as Bytes from "./Bytes.ts"
import * as Downloading from "./Downloading.ts"
import * as FileRef from "./FileRef.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as PlatformFlags from "#src/cli/platform/PlatformFlags.ts"
import * as Target from "./Target.ts"
import * as TransferProgress from "./TransferProgress.ts"

const flags = {
  file: Argument.String("id or url").pipe(
    Argument.withDescription("The file's id, or its URL, which works without a key"),
    Argument.filterMap(FileRef.parse, FileRef.expected)
  ),
  output: Flag.Path("output").pipe(
    Flag.withAlias("o"),
    Flag.withMetavar("PATH"),
    Flag.withDescription(
      "Target file or folder; replaces an existing file (default: a new file here with the file's name)"
    ),
    Flag.optional
  ),
  ...PlatformFlags.flags,
  json: Output.json
}

const stored = (id: string) => Platform.call((client, signal) => client.files.get(id, { signal }))

/** For a URL, requests the checksum from the server only if a key is set. The server may not know the file. */
const sourceOf = Effect.fnUntraced(function* (file: FileRef.FileRef) {
  if (file._tag === "Id") {
    const { checksums, fileName, url } = yield* stored(file.id)
    return { url, fileName, sha256: checksums.sha256 }
  }
  const { hasKey } = yield* Platform.Platform
  const known = hasKey && file.id !== null ? yield* Effect.option(stored(file.id)) : Option.none()
  const sha256 = Option.match(known, {
    onNone: () => null,
    onSome: ({ checksums, url }) => (new URL(file.url).href === new URL(url).href ? checksums.sha256 : null)
  })
  return { url: file.url, fileName: FileRef.nameIn(file.url), sha256 }
})

export const download = Command.make(
  "download",
  flags,
  Effect.fnUntraced(function* ({ file, json, output }) {
    const { fileName, sha256, url } = yield* sourceOf(file)
    const target = yield* Target.choose(Option.getOrNull(output), fileName)
    const name = path.basename(target)
    const fetched = yield* Downloading.download({
      url,
      target,
      sha256,
      progress: (total) => TransferProgress.make({ name, total, isSilent: json }),
      ...(json && { onWait: () => {} })
    }).pipe(
      Effect.onInterrupt(() => Console.error("Run the same command again to download the missing bytes."))
    )
    const isVerified = sha256 !== null
    if (json) return yield* Output.printJson({ path: target, url, ...fetched, isVerified })
    const checked = isVerified ? "its SHA-256 is correct" : "its SHA-256 is unknown"
    yield* Console.error(`Downloaded ${Bytes.format(fetched.size)}; ${checked}.`)
    yield* Console.log(Output.printable(target))
  })
).pipe(
  Command.provide((given) => Platform.layer(given)),
  Command.withDescription(
    "Download a file. The target appears when the download is complete and its SHA-256 is correct. After an interruption, " +
      "the same command continues"
  ),
  Command.withShortDescription("Download a file"),
  Command.withExamples([
    { command: "inferlog files download 3q2-7wEvcl8qJ4T0a1B2c3D4 -o film.mp4" },
    { command: "inferlog files download https://media.example.org/media/3q2-7wEvcl8qJ4T0a1B2c3D4/film.mp4" }
  ])
)

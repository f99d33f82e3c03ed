import { Clock, Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as FileLimits from "#src/features/media/storage/FileLimits.ts"
import * as MediaType from "#src/features/media/MediaType.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as Bytes from "./Bytes.ts"
import * as UploadOne from "./UploadOne.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as PlatformFlags from "#src/cli/platform/PlatformFlags.ts"

const isPartSize = (bytes: number) => bytes >= FileLimits.minPartBytes && bytes <= FileLimits.maxPutBytes

const mediaTypeOf = Schema.decodeUnknownOption(MediaType.MediaType)

const flags = {
  paths: Argument.String("path").pipe(
    Argument.withDescription("Local files, uploaded one after the other"),
    Argument.atLeast(1)
  ),
  ...PlatformFlags.flags,
  contentType: Flag.String("content-type").pipe(
    Flag.withMetavar("TYPE"),
    Flag.withDescription("Media type of the file (default: by its extension or its first bytes)"),
    Flag.filterMap(mediaTypeOf, () => "Expected a media type such as image/png"),
    Flag.optional
  ),
  name: Flag.String("name").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Name of the file on the server (default: its local name)"),
    Flag.optional
  ),
  partSize: Flag.String("part-size").pipe(
    Flag.withMetavar("SIZE"),
    Flag.withDescription(
      "Send larger files in parts of this size, from 5MiB to 5GiB (default: 16 MiB, for files larger than 64 MiB). " +
        "Parts grow so that a file has at most 10,000"
    ),
    Flag.filterMap(
      (text) => Option.filter(Bytes.parse(text), isPartSize),
      () => "Expected a size from 5MiB to 5GiB, such as 16MiB"
    ),
    Flag.optional
  ),
  concurrency: Flags.count("concurrency", "Parts sent in parallel, from 1 to 32", {
    from: 1,
    to: 32,
    byDefault: UploadOne.usualParallel
  }),
  json: Output.jsonLines
}

export const upload = Command.make(
  "upload",
  flags,
  Effect.fnUntraced(function* ({ key: _key, paths, url: _url, ...options }) {
    if (paths.length > 1 && Option.isSome(options.name)) {
      return yield* new Failure.UsageError({ message: "--name: Expected exactly one file" })
    }
    for (const path of paths) {
      const began = yield* Clock.currentTimeMillis
      const uploaded = yield* UploadOne.upload(path, {
        fileName: Option.getOrUndefined(options.name),
        contentType: Option.getOrUndefined(options.contentType),
        partSize: Option.getOrUndefined(options.partSize),
        parallel: options.concurrency,
        isSilent: options.json
      })
      if (options.json) {
        yield* Output.printJson(uploaded)
        continue
      }
      const elapsed = (yield* Clock.currentTimeMillis) - began
      yield* Console.error(
        `Uploaded ${Output.printable(path)}: ${Bytes.format(uploaded.size)} in ${elapsed < 60_000 ? Output.milliseconds(elapsed) : Output.duration(elapsed)}.`
      )
      yield* Console.log(uploaded.fileUrl)
    }
  })
).pipe(
  Command.provide((given) => Platform.layer(given)),
  Command.withDescription(
    "Upload files to a running server and print their URLs, which can be used as inputs of models. Large files are sent in " +
      "parallel parts. After an interruption, the same command sends the missing parts"
  ),
  Command.withShortDescription("Upload files"),
  Command.withExamples([
    { command: "inferlog files upload picture.png", description: "With INFERLOG_API_KEY in the environment" },
    { command: "inferlog files upload film.mp4 --part-size 64MiB --concurrency 8" },
    { command: "inferlog files upload *.png --url https://inference.example.org --json" }
  ])
)

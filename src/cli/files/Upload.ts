import { Clock, Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ContentTypes from "#src/features/media/storage/ContentTypes.ts"
import * as FileLimits from "#src/features/media/storage/FileLimits.ts"
import * as MediaType from "#src/features/media/MediaType.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as Bytes from "./Bytes.ts"
import * as FileRef from "./FileRef.ts"
import * as LocalFile from "./LocalFile.ts"
import * as MultipartUpload from "./MultipartUpload.ts"
import * as PartPlan from "./PartPlan.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as SingleUpload from "./SingleUpload.ts"
import * as TransferProgress from "./TransferProgress.ts"

const isPartSize = (bytes: number) => bytes >= FileLimits.minPartBytes && bytes <= FileLimits.maxPutBytes

const mediaTypeOf = Schema.decodeUnknownOption(MediaType.MediaType)

const flags = {
  paths: Argument.String("path").pipe(
    Argument.withDescription("Files of this machine, uploaded one after the other"),
    Argument.atLeast(1)
  ),
  ...Platform.flags,
  contentType: Flag.String("content-type").pipe(
    Flag.withMetavar("TYPE"),
    Flag.withDescription("What the file is (default: by the end of its name, or by how it begins)"),
    Flag.filterMap(mediaTypeOf, () => "Expected a media type such as image/png"),
    Flag.optional
  ),
  name: Flag.String("name").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("What the file is to be called (default: as here)"),
    Flag.optional
  ),
  partSize: Flag.String("part-size").pipe(
    Flag.withMetavar("SIZE"),
    Flag.withDescription(
      "Send what is larger in parts of this size, from 5MiB to 5GiB (default: what is larger than 64 MiB, in parts of 16 MiB). " +
        "Parts are larger where the file would have more than 10,000"
    ),
    Flag.filterMap(
      (text) => Option.filter(Bytes.parse(text), isPartSize),
      () => "Expected a size from 5MiB to 5GiB, such as 16MiB"
    ),
    Flag.optional
  ),
  concurrency: Flag.Int("concurrency").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("Parts that are sent at once, from 1 to 32"),
    Flag.filter(
      (count) => count >= 1 && count <= 32,
      () => "Expected a number from 1 to 32"
    ),
    Flag.withDefault(4)
  ),
  json: Output.jsonLines
}

interface Options {
  readonly contentType: Option.Option<string>
  readonly name: Option.Option<string>
  readonly partSize: Option.Option<number>
  readonly concurrency: number
  readonly json: boolean
}

/** Bytes that tell what a file is. */
const headLength = 256

const uploadOne = Effect.fnUntraced(function* (options: Options, path: string) {
  const file = yield* LocalFile.open(path)
  const fileName = Option.getOrElse(options.name, () => file.name)
  const contentType = Option.isSome(options.contentType)
    ? options.contentType.value
    : ContentTypes.of(fileName, yield* LocalFile.head(file, headLength))
  const progress = yield* TransferProgress.make({
    name: file.name,
    total: file.size,
    isSilent: options.json
  })
  const asked = Option.getOrNull(options.partSize)
  const uploading = { file, fileName, contentType, progress }
  const upload = PartPlan.isSingle(file.size, asked)
    ? SingleUpload.upload(uploading)
    : MultipartUpload.upload({
        ...uploading,
        partSize: PartPlan.partSize(file.size, asked),
        concurrency: options.concurrency
      })
  const fileUrl = yield* Effect.ensuring(upload, progress.clear)
  return { path, fileUrl, fileId: FileRef.idIn(fileUrl), fileName, contentType, size: file.size }
})

export const upload = Command.make(
  "upload",
  flags,
  Effect.fnUntraced(function* ({ key: _key, paths, url: _url, ...options }) {
    if (paths.length > 1 && Option.isSome(options.name)) {
      return yield* new Failure.UsageError({ message: "--name: Expected one file, for a name is one's own" })
    }
    for (const path of paths) {
      const began = yield* Clock.currentTimeMillis
      const uploaded = yield* uploadOne(options, path)
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
    "Upload files to a running server and print their URLs, which can be given to models. Large files are sent in parts, several " +
      "at once; interrupted anywhere, the same command goes on with the parts that are not there yet"
  ),
  Command.withShortDescription("Upload files"),
  Command.withExamples([
    { command: "inferlog files upload picture.png", description: "With INFERLOG_API_KEY in the environment" },
    { command: "inferlog files upload film.mp4 --part-size 64MiB --concurrency 8" },
    { command: "inferlog files upload *.png --url https://inference.example.org --json" }
  ])
)

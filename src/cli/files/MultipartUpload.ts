/** Uploads a file in parts (contract, "Multipart flow"). An interrupted upload continues with the missing parts. */
import { Console, Effect } from "effect"
import * as LocalFile from "./LocalFile.ts"
import * as PartPlan from "./PartPlan.ts"
import { Platform } from "#src/cli/platform/Platform.ts"
import * as Put from "./Put.ts"
import { Refused } from "#src/cli/platform/CallErrors.ts"
import * as Retrying from "#src/cli/platform/Retrying.ts"
import { isCompleted, sayWhy, newFile, type Uploading } from "./Uploading.ts"
import * as UploadState from "./UploadState.ts"
import * as Wire from "./Wire.ts"

interface Options extends Uploading {
  /** Bytes. */
  readonly partSize: number
  /** Parts sent in parallel. */
  readonly concurrency: number
}

type State = Effect.Success<ReturnType<typeof UploadState.make>>

interface Started extends Wire.Multipart {
  /** Parts that the server already has. */
  readonly parts: ReadonlyArray<Wire.StoredPart>
}

/** The stored upload has expired, or belongs to another account. */
const isLost = (error: { readonly _tag: string }): boolean =>
  error instanceof Refused && [403, 404, 409, 410].includes(error.status) && !isCompleted(error)

/** Continues the upload of a previous command. Returns `null` when this is impossible. */
const resume = Effect.fnUntraced(function* (options: Options, saved: Wire.Multipart) {
  const found = yield* Retrying.onceReached(Wire.parts(saved), sayWhy(options)).pipe(
    Effect.catchIf(isLost, () => Effect.succeed(null))
  )
  if (found === null || (found.size !== null && found.size !== options.file.size)) return null
  return { ...saved, parts: found.parts } satisfies Started
})

const begin = Effect.fnUntraced(function* (options: Options, state: State) {
  const upload = yield* Retrying.onceReached(Wire.initiateMultipart(newFile(options)), sayWhy(options))
  if (!(yield* state.save(upload))) {
    yield* options.progress.say(
      "If it is interrupted, this upload cannot be continued, because its state cannot be saved."
    )
  }
  return { ...upload, parts: [] } satisfies Started
})

/** Whether the stored part has the bytes of this file. A part whose ETag is not an MD5 is sent again. */
const isSame = Effect.fnUntraced(function* (
  file: LocalFile.LocalFile,
  part: PartPlan.PlannedPart,
  stored: Wire.StoredPart
) {
  if (stored.size !== part.length || !/^[0-9a-f]{32}$/.test(stored.etag)) return false
  return (yield* LocalFile.md5(file, part)).toString("hex") === stored.etag
})

const send = (options: Options, started: Started) => {
  const storedParts = new Map(started.parts.map((part) => [part.partNumber, part]))
  const { contentType, file, progress } = options
  const attempt = Effect.fnUntraced(function* (part: PartPlan.PlannedPart) {
    const { presignedUrl } = yield* Wire.partUrl(started, part.partNumber)
    return yield* Put.put({ url: presignedUrl, file, range: part, contentType, progress })
  })
  return Effect.fnUntraced(function* (part: PartPlan.PlannedPart) {
    const { partNumber } = part
    const stored = storedParts.get(partNumber)
    if (stored !== undefined && (yield* isSame(file, part, stored))) {
      yield* progress.skip(part.length)
      return { partNumber, etag: stored.etag }
    }
    return { partNumber, etag: yield* Retrying.patiently(attempt(part), sayWhy(options)) }
  })
}

const sendAll = Effect.fnUntraced(function* (options: Options, started: Started) {
  const { concurrency, file, partSize } = options
  const parts = yield* Effect.forEach(PartPlan.parts(file.size, partSize), send(options, started), {
    concurrency
  })
  yield* LocalFile.requireUnchanged(file)
  yield* Retrying.patiently(Wire.complete(started, parts), sayWhy(options))
})

const howToContinue = Console.error("Run the same command again to send the missing parts.")

/** Returns the file's URL. */
export const upload = Effect.fnUntraced(function* (options: Options) {
  const { contentType, file, fileName, partSize } = options
  const { url } = yield* Platform
  const { path, version } = file
  const state = yield* UploadState.make([url, path, version, fileName, contentType, partSize])
  const saved = yield* state.load

  const rest = Effect.gen(function* () {
    const resumed = saved === null ? null : yield* resume(options, saved)
    const started = resumed ?? (yield* begin(options, state))
    yield* sendAll(options, started).pipe(
      Effect.tapError((error) => (error._tag === "LocalFileError" ? Effect.void : howToContinue)),
      Effect.onInterrupt(() => Effect.andThen(options.progress.clear, howToContinue)),
      Effect.catchIf(isCompleted, () => Effect.void)
    )
    return started.fileUrl
  })
  const fileUrl = yield* Effect.catchIf(
    rest,
    (error) => saved !== null && isCompleted(error),
    () => Effect.succeed(saved?.fileUrl ?? "")
  )
  yield* state.forget
  return fileUrl
})

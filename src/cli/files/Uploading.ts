/** Uploads a local file (contract, "Uploads"). An interrupted upload in parts continues with the missing parts. */
import { Console, Effect } from "effect"
import { ApiError } from "#clients/typescript/ApiError.ts"
import type { UploadRef } from "#clients/typescript/files/Upload.ts"
import type { UsageError } from "#src/cli/Failure.ts"
import * as CallError from "#src/cli/platform/CallError.ts"
import { Platform } from "#src/cli/platform/Platform.ts"
import * as LocalFile from "./LocalFile.ts"
import type { TransferProgress } from "./TransferProgress.ts"
import * as UploadState from "./UploadState.ts"

interface Options {
  readonly file: LocalFile.LocalFile
  /** Name of the file on the server. */
  readonly fileName: string
  readonly contentType: string
  readonly progress: TransferProgress
  /** Bytes. */
  readonly partSize: number | undefined
  /** Parts sent in parallel. */
  readonly parallel: number
}

/** The stored upload has expired, belongs to another account, or is of another file. */
const isLost = (error: { readonly _tag: string }): boolean =>
  error instanceof CallError.CallError &&
  (error.cause instanceof RangeError ||
    (error.cause instanceof ApiError && [403, 404, 409, 410].includes(error.cause.status)))

const howToContinue = Console.error("Run the same command again to send the missing parts.")

/** Returns the file's URL. */
export const upload = Effect.fnUntraced(function* (options: Options) {
  const { contentType, file, fileName, parallel, partSize, progress } = options
  const platform = yield* Platform
  const context = yield* Effect.context<never>()
  const runFork = Effect.runForkWith(context)
  const state = yield* UploadState.make([
    platform.url,
    file.path,
    file.version,
    fileName,
    contentType,
    partSize ?? 0
  ])
  const saved = yield* state.load
  let hasBegun = false
  let hasSent = false

  /** Ends the upload when the file changes, which explains any other failure. */
  const guarded =
    (changed: AbortController): typeof globalThis.fetch =>
    async (input, init) => {
      if (init?.method !== "PUT") return platform.fetch(input, init)
      hasSent = true
      try {
        return await platform.fetch(input, init)
      } finally {
        const change = await LocalFile.changeOf(file)
        if (change !== null) changed.abort(change)
      }
    }

  const remember = Effect.fnUntraced(function* (upload: UploadRef) {
    if (yield* state.save(upload)) return
    yield* progress.say(
      "If it is interrupted, this upload cannot be continued, because its state cannot be saved."
    )
  })

  const sent = (resume: UploadRef | undefined) => {
    const changed = new AbortController()
    let done = 0
    const client = platform.connect({
      fetch: guarded(changed),
      onWait: (text) => void runFork(progress.say(text))
    })
    return Effect.tryPromise({
      try: (signal) =>
        client.files.upload(file.blob, {
          fileName,
          contentType,
          partSize,
          parallel,
          resume,
          md5: LocalFile.md5,
          signal: AbortSignal.any([signal, changed.signal]),
          onBegin: (begun) => {
            hasBegun = true
            return resume === undefined ? Effect.runPromiseWith(context)(remember(begun)) : undefined
          },
          onProgress: (bytes) => {
            const more = bytes - done
            done = bytes
            runFork(hasSent ? progress.add(more) : progress.skip(more))
          }
        }),
      catch: (error): CallError.CallError | LocalFile.LocalFileError | UsageError =>
        error instanceof LocalFile.LocalFileError ? error : CallError.of(platform.url)(error)
    }).pipe(
      Effect.tapError(() =>
        Effect.flatMap(
          Effect.promise(() => LocalFile.changeOf(file)),
          (change) => (change === null ? Effect.void : Effect.fail(change))
        )
      )
    )
  }

  const fileUrl = yield* sent(saved ?? undefined).pipe(
    Effect.catchIf(
      (error) => saved !== null && !hasBegun && isLost(error),
      () => sent(undefined)
    ),
    Effect.tapError((error) => (hasBegun && error._tag !== "LocalFileError" ? howToContinue : Effect.void)),
    Effect.onInterrupt(() => (hasBegun ? Effect.andThen(progress.clear, howToContinue) : Effect.void))
  )
  yield* state.forget
  return fileUrl
})

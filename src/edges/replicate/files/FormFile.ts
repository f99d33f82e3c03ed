/** The file in a multipart form (RFC 7578), written to a scratch file as it arrives: its length is known only at the end. */
import { Context, Effect, FileSystem, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Multipart from "effect/http/Multipart"
import { sniffLength } from "#src/features/media/ImageFormat.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import { BlobStoreError } from "#streams/BlobStore.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as FileErrorAnswers from "#src/edges/http/FileErrorAnswers.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"

/** The largest file, in bytes, as on Replicate. */
export const MaxFileBytes = Context.Reference<number>("inferlog/src/edges/replicate/files/MaxFileBytes", {
  defaultValue: () => 100 * 1024 * 1024
})

/** For the whole form. */
const formTimeout = "5 minutes"

/** Bytes of all that is not the file. */
const mostBeside = 64 * 1024
const mostParts = 8

interface FormFile {
  readonly fileName: string
  /** As the client claims. */
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** The first bytes. */
  readonly head: Uint8Array
  /** Read it within the scope. */
  readonly body: Stream.Stream<Uint8Array, BlobStoreError>
}

const noForm = new ErrorAnswer.ErrorAnswer({
  status: 415,
  error: "The request body must be sent as Content-Type: multipart/form-data, without a content encoding."
})

const noContent = ErrorAnswer.invalid([issue(["content"], "required", "must be given once, as a file")])

const metadataGiven = ErrorAnswer.invalid([
  issue(["metadata"], "unsupported", "must be empty: no metadata of files is kept")
])

const failed = (cause: unknown) => new BlobStoreError({ reason: "could not keep an upload", cause })

const refusalOf = (limit: number, { reason }: Multipart.MultipartError): ErrorAnswer.ErrorAnswer => {
  switch (reason._tag) {
    case "FileTooLarge":
    case "BodyTooLarge":
      return FileErrorAnswers.fileTooLarge(limit)
    case "FieldTooLarge":
    case "TooManyParts":
      return ErrorAnswer.malformed("The form has too many or too large fields.")
    case "Parse":
    case "InternalError":
      return BodyReader.unreadable
  }
}

/** Nothing may be in it. */
const isEmptyObject = (text: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) === "{}"
  } catch {
    return false
  }
}

/** Read no further than it may be long. */
const textOf = (part: Multipart.Part) =>
  part._tag === "Field"
    ? Effect.succeed(part.value)
    : Stream.runFold(
        Stream.decodeText(part.content),
        () => "",
        (text, more) => (text.length > mostBeside ? text : text + more)
      )

const hasForm = ({ headers }: HttpServerRequest): boolean =>
  /^multipart\/form-data\s*;/i.test(headers["content-type"] ?? "") &&
  (headers["content-encoding"] ?? "identity").toLowerCase() === "identity"

export const make = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const scratch = yield* ScratchDirectory
  const maxBytes = yield* MaxFileBytes
  const limits = Multipart.limitsServices({
    maxParts: mostParts,
    maxFieldSize: mostBeside,
    // The parser counts the headers of a part, too.
    maxFileSize: maxBytes + mostBeside,
    maxTotalSize: maxBytes + mostBeside,
    // A file may be JSON.
    fieldMimeTypes: []
  })

  const receive = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const folder = yield* Effect.mapError(
      fs.makeTempDirectoryScoped({ directory: scratch, prefix: "form-" }),
      failed
    )
    const path = `${folder}/file`
    let found: { readonly fileName: string; readonly contentType: string } | null = null
    const parts = Stream.mapError(request.stream, () => BodyReader.unreadable).pipe(
      Stream.pipeThroughChannel(Multipart.makeChannel<ErrorAnswer.ErrorAnswer>({ ...request.headers }))
    )
    yield* Stream.runForEach(parts, (part) =>
      Effect.gen(function* () {
        if (part.key !== "content" || part._tag === "Field") {
          const text = yield* textOf(part)
          return part.key === "metadata" && !isEmptyObject(text) ? yield* metadataGiven : undefined
        }
        if (found !== null) return yield* noContent
        found = { fileName: part.name, contentType: part.contentType }
        return yield* Stream.run(part.content, fs.sink(path))
      })
    )
    if (found === null) return yield* noContent
    const size = Number((yield* fs.stat(path)).size)
    if (size > maxBytes) return yield* FileErrorAnswers.fileTooLarge(maxBytes)
    const head = yield* Stream.mkUint8Array(fs.stream(path, { bytesToRead: sniffLength }))
    const { contentType, fileName }: Pick<FormFile, "contentType" | "fileName"> = found
    return {
      fileName,
      contentType,
      size,
      head,
      body: Stream.mapError(fs.stream(path), failed)
    } satisfies FormFile
  })

  /** The file, until the scope closes. */
  return (request: HttpServerRequest) => {
    if (!hasForm(request)) return Effect.fail(noForm)
    if (Number(request.headers["content-length"] ?? 0) > maxBytes + mostBeside) {
      return Effect.fail(FileErrorAnswers.fileTooLarge(maxBytes))
    }
    return receive(request).pipe(
      Effect.provideContext(limits),
      Effect.catchTag("MultipartError", (error) => Effect.fail(refusalOf(maxBytes, error))),
      Effect.catchTag("PlatformError", (error) => Effect.fail(failed(error))),
      Effect.timeoutOrElse({ duration: formTimeout, orElse: () => Effect.fail(ErrorAnswer.bodyTimeout) })
    )
  }
})

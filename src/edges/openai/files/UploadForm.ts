/** Bodies of `multipart/form-data` (RFC 7578) with one file: uploads and transcriptions. They are held in memory, counted and limited. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as MultipartParser from "effect/http/MultipartParser"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { InputMemory } from "#src/kernel/memory/InputMemory.ts"
import * as Bytes from "#src/kernel/text/Bytes.ts"
import { BodyMemory } from "#src/edges/http/edge/BodyMemory.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as BodyHeaders from "#src/edges/http/requests/BodyHeaders.ts"
import type { ServiceError } from "#src/edges/http/ServiceErrors.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"

export interface UploadForm {
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Uint8Array }
  /** The other fields. Numbers and flags are texts there, so they are read as JSON. A field `name[]` is a list. */
  readonly fields: JsonObject
}

/** Of a body, bytes. Larger files have the uploads of this server's own API. */
const maxBytes = 64 * 1024 * 1024

const mostParts = 1_000

/** For the whole body: files take longer than JSON. */
const patience = "5 minutes"

const notAForm = OpenaiErrors.invalid("The body must be multipart/form-data.")
const noFile = OpenaiErrors.invalid("file must be a file.", "file")

interface Received {
  readonly name: string
  readonly type: string
  readonly bytes: Bytes.Bytes
}

/** Fields by name: a text each, or a list of texts where the name ends in `[]`. */
const fieldsOf = (texts: ReadonlyMap<string, ReadonlyArray<string>>): JsonObject => {
  const fields = new Map<string, JsonObject[string]>()
  for (const [name, values] of texts) {
    const [first] = values
    if (first !== undefined) fields.set(name.replace(/\[\]$/, ""), name.endsWith("[]") ? values : first)
  }
  return Object.fromEntries(fields)
}

/** The form, whose file is a part of `body`; `null` without a file. Throws if it is malformed. */
const parse = (body: Uint8Array, contentType: string): UploadForm | null => {
  const texts = new Map<string, ReadonlyArray<string>>()
  let file: Received | null = null
  let isDone = false
  const parser = MultipartParser.make({
    headers: { "content-type": contentType },
    maxParts: mostParts,
    isFile: ({ filename }) => filename !== undefined,
    onField: (info, value) => {
      const { name } = info
      if (name === "file" || name === "__proto__") return
      texts.set(name, [...(texts.get(name) ?? []), MultipartParser.decodeField(info, value)])
    },
    onFile: ({ contentType: type, filename = "", name }) => {
      if (name !== "file" || file !== null) return () => {}
      const bytes = Bytes.make()
      file = { name: filename, type, bytes }
      return (part) => void (part !== null && bytes.add(part))
    },
    onError: ({ _tag }) => {
      throw new Error(_tag)
    },
    onDone: () => void (isDone = true)
  })
  parser.write(body)
  parser.end()
  if (!isDone) throw new Error("EndNotReached")
  return found(file, texts)
}

const found = (file: Received | null, texts: ReadonlyMap<string, ReadonlyArray<string>>): UploadForm | null =>
  file === null ? null : { file: { ...file, bytes: file.bytes.whole() }, fields: fieldsOf(texts) }

export const make = Effect.map(
  InputMemory,
  ({ submits }) =>
    /** The memory of the form is released after `use`. */
    <A>(
      request: HttpServerRequest,
      caller: Caller,
      use: (form: UploadForm) => Effect.Effect<A, ServiceError>
    ): Effect.Effect<A, ServiceError> =>
      Effect.suspend(() => {
        const { headers } = request
        const contentType = headers["content-type"] ?? ""
        if (!/^multipart\/form-data\b/i.test(contentType)) return Effect.fail(notAForm)
        const memory = new BodyMemory(submits, caller.accountId)
        return Effect.fromResult(BodyHeaders.checkEncoding(headers)).pipe(
          Effect.andThen(Effect.fromResult(BodyHeaders.checkLength(headers, maxBytes))),
          Effect.andThen(memory.cover(Number(headers["content-length"] ?? 0), 0)),
          Effect.andThen(BodyReader.read(request, maxBytes, (bytes) => memory.grow(bytes))),
          Effect.provideService(BodyReader.BodyTimeout, patience),
          Effect.flatMap((body) =>
            Effect.try({ try: () => parse(body, contentType), catch: () => notAForm })
          ),
          Effect.flatMap((form): Effect.Effect<A, ServiceError> =>
            form === null ? Effect.fail(noFile) : use(form)
          ),
          Effect.ensuring(Effect.sync(() => memory.release()))
        )
      })
)

export const emptyFile = OpenaiErrors.invalid("file must not be empty.", "file")

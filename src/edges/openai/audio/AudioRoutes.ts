/** `POST /v1/audio/transcriptions` and `POST /v1/audio/speech`. */
import * as crypto from "node:crypto"
import { Effect, Schema } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, Requires, TakesQuery, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as Calls from "../calls/Calls.ts"
import * as StoredForm from "../files/StoredForm.ts"
import * as UploadForm from "../files/UploadForm.ts"
import * as FormFields from "./FormFields.ts"
import * as ObjectCall from "../objects/ObjectCall.ts"
import * as StoredBytes from "../objects/StoredBytes.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"
import * as OpenaiRoute from "../OpenaiRoute.ts"
import * as ServedModels from "../ServedModels.ts"

const transcriptionEndpoint = HttpApiEndpoint.post("createTranscription", "/v1/audio/transcriptions", {
  success: Schema.Record(Schema.String, Schema.Json),
  error: OpenaiRoute.errors
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "Transcribe speech")
  .annotate(
    OpenApi.Description,
    "OpenAI's transcriptions, of a model that serves `transcriptions`: `multipart/form-data` with `file`, at most 64 MiB. The file is stored among the account's files, and the input has its URL in `file`."
  )

const textOf = (output: Json): Json => (isObject(output) ? (output["text"] ?? null) : output)

/** What makes a repeated call the same: bodies differ in their boundaries. */
const identityOf = ({ fields, file }: UploadForm.UploadForm): Buffer =>
  crypto
    .createHash("sha256")
    .update(JSON.stringify([fields, file.name]))
    .update(file.bytes)
    .digest()

/** Forms that are one text, and need no timestamps. */
const plain: ReadonlySet<Json | undefined> = new Set(["text"])
const json: ReadonlySet<Json | undefined> = new Set([undefined, "json", "verbose_json", "diarized_json"])

export const createTranscription = Route.make(
  transcriptionEndpoint,
  Effect.all({ served: ServedModels.make, calls: Calls.make, read: UploadForm.make, store: StoredForm.make }),
  function* ({ calls, read, served, store }, { request }, caller) {
    const { asked, format } = yield* read(request, caller, (form) =>
      Effect.gen(function* () {
        const { model, stream, ...fields } = form.fields
        const format = fields["response_format"]
        if (stream === "true")
          return yield* OpenaiErrors.invalid(
            "Transcriptions are not streamed here.",
            "stream",
            "unsupported_parameter"
          )
        if (!plain.has(format) && !json.has(format))
          return yield* OpenaiErrors.invalid("response_format must be json or text.", "response_format")
        const { endpoint, inputSchema } = (yield* served(caller, model, "transcriptions")).model
        const { fileUrl } = yield* store(caller, form)
        const input = { ...FormFields.typed(fields, inputSchema), file: fileUrl }
        const asked = { request, caller, path: "v1/audio/transcriptions", endpoint, input }
        const identity = identityOf(form)
        return { asked: { ...asked, bytes: identity, content: () => identity.toString("base64url") }, format }
      })
    )
    return yield* calls.begin(asked, (begun) =>
      Effect.gen(function* () {
        const output = yield* calls.outputOf(yield* calls.ended(begun))
        if (!plain.has(format)) return Answer.json(200, isObject(output) ? output : { text: output })
        return HttpServerResponse.text(`${String(textOf(output) ?? "")}\n`, {
          contentType: "text/plain; charset=utf-8"
        })
      })
    )
  }
)

const speechEndpoint = HttpApiEndpoint.post("createSpeech", "/v1/audio/speech", {
  payload: OpenaiRoute.ofCalls.payload,
  success: Schema.Unknown.annotate({ description: "The bytes of the sound." }),
  error: OpenaiRoute.errors
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "Speak a text")
  .annotate(
    OpenApi.Description,
    "OpenAI's speech, of a model that serves `speech`: the answer is the file that the output names in `url` or `audio`."
  )

/** Bytes of the sound of one answer. */
const mostBytes = 64 * 1024 * 1024

const urlOf = (output: Json): Json | undefined => {
  if (!isObject(output)) return output
  const { audio, url } = output
  return url ?? (isObject(audio) ? audio["url"] : audio)
}

const noSound = OpenaiErrors.server(
  500,
  "The model's output names no sound.",
  "invalid_output",
  OpenaiErrors.final
)

export const createSpeech = Route.make(
  speechEndpoint,
  Effect.all({ ask: ObjectCall.make("speech", "v1/audio/speech"), bytesAt: StoredBytes.make }),
  function* ({ ask, bytesAt }, call, caller) {
    return yield* ask(
      call,
      caller,
      Effect.fnUntraced(function* ({ output }) {
        const url = urlOf(output)
        const found = typeof url === "string" ? yield* bytesAt(url, mostBytes) : null
        if (found === null) return yield* noSound
        return HttpServerResponse.uint8Array(found.bytes, {
          contentType: found.contentType,
          headers: { "cache-control": "no-store" }
        })
      })
    )
  }
)

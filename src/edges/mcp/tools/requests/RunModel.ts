/** `run_model`: submits a request (contract, "Assistant-tool server"), with the same checks as a submit over HTTP. */
import { Effect, Result, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import * as Grant from "#domain/account/Grant.ts"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { status, Status } from "#domain/inference-request/Status.ts"
import type { Request } from "#domain/inference-request/State.ts"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import * as IdempotencyHeader from "#src/edges/api/requests/IdempotencyHeader.ts"
import * as MetadataHeader from "#src/edges/api/requests/MetadataHeader.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as EstimateView from "#src/features/catalog/views/EstimateView.ts"
import * as MoneyView from "#src/platform/views/MoneyView.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import * as JsonScan from "#src/kernel/text/JsonScan.ts"
import {
  Requests,
  type Snapshot,
  type StorageError,
  type SubmitRefused
} from "#src/features/requests/Requests.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { granted, ToolCaller } from "../../ToolCaller.ts"
import { ToolError } from "../../ToolError.ts"
import * as Arguments from "../Arguments.ts"
import * as RunCost from "../RunCost.ts"
import * as ServiceToolErrors from "../ServiceToolErrors.ts"
import * as ToolTraits from "../ToolTraits.ts"
import * as RequestedModel from "../RequestedModel.ts"
import * as SentInputs from "../../SentInputs.ts"
import * as ModelInput from "./ModelInput.ts"

const Accepted = Schema.Struct({
  requestId: Schema.String.annotate({ description: "For wait_for_request and get_request." }),
  modelEndpoint: Schema.String,
  status: Status.annotate({ description: "`IN_QUEUE`: it runs as soon as there is room." }),
  replayed: Schema.Boolean.annotate({
    description: "This repeats the first answer under this idempotencyKey: no new request was submitted."
  }),
  ...RunCost.fields,
  currency: MoneyView.Currency,
  expectedSeconds: Schema.NullOr(Schema.Finite).annotate({ description: "Usual length of a run." }),
  createdAt: Schema.String,
  next: Schema.String.annotate({ description: "What to do next." })
})

export const tool = Tool.make("run_model", {
  description:
    "Runs a model or a wrapper: submits a request and returns its requestId at once, without the output; call wait_for_request with it next. Each run costs money, which is charged when it succeeds. get_model_raw_schema has a model's input schema. Give an idempotencyKey, so that a call with a lost answer can be repeated without a second run and charge.",
  parameters: Schema.Struct({
    modelEndpoint: Arguments.modelEndpoint,
    input: Schema.JsonObject.annotate({
      description:
        "The model's input: an object that matches its input schema. Files (pictures, audio, video) are https URLs: upload a file without a URL with upload_file and use its fileUrl. At most 10 MiB of JSON.",
      examples: [{ image: "https://example.com/photo.png", width: 640 }]
    }),
    idempotencyKey: Arguments.optional(
      Arguments.text({ minLength: 1, maxLength: IdempotencyHeader.longestKey }).annotate({
        description:
          "An identifier that you choose for this run, 1 to 255 printable ASCII characters, for example a UUID. A repeated call with it and the same arguments within 24 hours returns the first answer and costs nothing. Use the same one to retry, and a new one for each new run.",
        examples: ["b4f1c6a2-3d0e-4c57-9a55-0f6d0a2e8d11"]
      })
    ),
    metadata: Arguments.optional(
      Schema.Record(Schema.String, Schema.String).annotate({
        description: `Your own labels for the request, strings by name: at most ${MetadataHeader.maxKeys}, ${MetadataHeader.maxBytes} bytes of JSON in all.`,
        examples: [{ project: "summer-campaign" }]
      })
    )
  }),
  success: Accepted,
  failure: ToolError,
  dependencies: [ToolCaller]
})
  .annotate(Tool.Title, "Run a model")
  .annotateMerge(ToolTraits.adding)

const deadlines = { startTimeoutMs: null, cancelAfterMs: null }

type Given = Tool.Parameters<typeof tool>

const metadataOf = ({ metadata = {} }: Given): Result.Result<MetadataHeader.Metadata, ToolError> =>
  Result.mapError(MetadataHeader.parseBytes("metadata", Buffer.from(JSON.stringify(metadata))), (issues) =>
    ServiceToolErrors.toolError(
      [
        "The metadata is not valid. Nothing was run.",
        ServiceToolErrors.issueLines(issues, "metadata"),
        "Correct it or omit it, then call run_model again."
      ].join("\n")
    )
  )

/** Equal for equal calls, whatever their JSON looks like. The prefix keeps it from matching an HTTP request. */
const hashOf = (
  secret: Buffer,
  { input, modelEndpoint }: Given,
  metadata: MetadataHeader.Metadata
): string => {
  const integers = JsonText.longIntegers(input).map(({ path, text }) => [JsonText.pointerOf(path), text])
  return IdempotencyHeader.hashOf(
    secret,
    JSON.stringify(["run_model", modelEndpoint]),
    CanonicalJson.stringify([metadata, input, ...(integers.length > 0 ? [integers] : [])])
  )
}

const notAscii = ServiceToolErrors.toolError(
  "idempotencyKey: must be printable ASCII characters, for example a UUID. Nothing was run: correct it and call again."
)

const sendAlone = ServiceToolErrors.toolError(
  "input: another call of the batch differs from it only in the digits of a long integer. Nothing was run: send the calls one by one."
)

/** The failure may have happened after the request was stored. */
const unknownWhether = ServiceToolErrors.toolError(
  `${ServiceToolErrors.unavailable} It is not known whether the request was accepted: without an idempotencyKey look at list_my_requests before you call again.`
)

const accepted = ({
  id,
  replayed,
  request
}: Snapshot<Request> & { readonly replayed: boolean }): typeof Accepted.Type => {
  const { at, expectedMs, model, quote } = request.submitted
  return {
    requestId: id,
    modelEndpoint: model,
    status: status(request),
    replayed,
    ...EstimateView.costsOf(quote),
    expectedSeconds: expectedMs === undefined ? null : expectedMs / 1_000,
    createdAt: DateTime.format(at),
    next: "Call wait_for_request with this requestId to get the output."
  }
}

type Failure = SubmitRefused | StorageError

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const catalog = yield* CatalogContents
  const unknownModel = yield* RequestedModel.unknownModel
  const secret = (yield* MasterKey).keyFor(IdempotencyHeader.purpose)

  const submissionOf = Effect.fnUntraced(function* (given: Given) {
    const caller = yield* granted("requests:write")
    const { idempotencyKey, input, modelEndpoint } = given
    // The service checks this too, but only after the input.
    if (!Grant.allowsModel(caller.grant, modelEndpoint))
      return yield* ServiceToolErrors.modelNotGranted(caller.grant)
    const refused = ModelInput.refused(input)
    if (refused !== null) return yield* refused
    const metadata = yield* Effect.fromResult(metadataOf(given))
    if (idempotencyKey !== undefined && !IdempotencyHeader.pattern.test(idempotencyKey))
      return yield* notAscii
    const sent = SentInputs.sentOf(yield* SentInputs.SentInputs, input)
    if (sent === null) return yield* sendAlone
    const idempotency =
      idempotencyKey === undefined
        ? null
        : { key: idempotencyKey, requestHash: hashOf(secret, { ...given, input: sent }, metadata) }
    const inputMemory = JsonScan.scan(Buffer.from(JsonText.write(sent)), JsonBytes).weight
    return {
      caller,
      endpoint: modelEndpoint,
      input: sent,
      inputMemory,
      metadata,
      webhook: null,
      deadlines,
      idempotency
    }
  })

  const refuse = ({ input, modelEndpoint }: Given, error: Failure): Effect.Effect<never, ToolError> => {
    switch (error._tag) {
      case "ModelNotFound":
        return Effect.flatMap(catalog.current, (contents) =>
          Effect.fail(unknownModel(contents, modelEndpoint))
        )
      case "InvalidInput":
        return Effect.fail(ServiceToolErrors.invalidInput(error, ModelInput.hintFor(input, error)))
      case "EventStoreError":
        return Effect.fail(error.isAbsent === true ? ServiceToolErrors.toErrorAnswer(error) : unknownWhether)
      default:
        return Effect.fail(ServiceToolErrors.toErrorAnswer(error))
    }
  }

  return Effect.fn("RunModel.call")(function* (given: Given) {
    const submission = yield* submissionOf(given)
    // If the client disconnects, the submit and its hold still complete, and a retry finds the result.
    const snapshot = yield* Effect.uninterruptible(
      Effect.catch(requests.submit(submission), (error) => refuse(given, error))
    )
    return accepted(snapshot)
  })
})

/** The answer of get_request and wait_for_request: the current state of a request, and what to do next. */
import { Schema } from "effect"
import { BillingStatus } from "#domain/inference-request/Event.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import { OutcomeWord, Status } from "#domain/inference-request/Status.ts"
import * as MediaView from "#src/features/requests/views/MediaView.ts"
import * as MoneyView from "#src/platform/views/MoneyView.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import * as Arguments from "../Arguments.ts"
import * as ExactText from "../ExactText.ts"
import * as BoundedJson from "./BoundedJson.ts"

const described = (description: string) => Schema.String.annotate({ description })
const describedOrNull = (description: string) => Schema.NullOr(Schema.String).annotate({ description })
const millisOrNull = (what: string) => Schema.NullOr(Schema.Finite).annotate({ description: `${what}, ms.` })

const MediaItem = Schema.Struct({
  ...MediaView.MediaItem.fields,
  path: described("JSON pointer to its URL in `output`."),
  url: described("Public: anyone who knows it can fetch it."),
  thumbnailUrl: describedOrNull("WebP."),
  size: Schema.Finite.annotate({ description: "Bytes." })
})

const Violation = Schema.Struct({
  instancePath: described("JSON pointer into the output."),
  message: Schema.String
})

const Pricing = Schema.Struct({
  cost: described("0 before the end."),
  currency: MoneyView.Currency,
  billingStatus: Schema.NullOr(BillingStatus).annotate({
    description: "`charged` in full, `partial`: for what was delivered, `failed`: nothing."
  })
})

/** Fields that lists show too. */
export const fields = {
  requestId: Schema.String,
  modelEndpoint: Schema.String,
  status: Status.annotate({ description: "`COMPLETED`, `FAILED`, `CANCELLED` are final: see `outcome`." }),
  outcome: OutcomeWord.annotate({
    description:
      "`succeeded` and `partial` have an output; `pending` has not ended; all others have no output and are not charged."
  }),
  error: describedOrNull("Why there is no output."),
  details: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.Json).annotate({
      description: "`upstream`: `status`, `code`, `param`, `type` of the provider's error."
    })
  ),
  pricing: Pricing,
  inferenceTime: millisOrNull("Of the run"),
  delayTime: millisOrNull("From accepted to started"),
  createdAt: described("When it was accepted."),
  metadata: Schema.Record(Schema.String, Schema.String),
  expiresAt: described("When input, output and files are erased."),
  erasedAt: describedOrNull("When they were.")
}

export const RequestReport = Schema.Struct({
  ...fields,
  stillRunning: Schema.Boolean,
  message: described("What to do next."),
  output: Schema.Json.annotate({ description: "null: none, or too large." }),
  outputTruncated: Schema.Boolean.annotate({ description: "It is larger than `maxOutputBytes`." }),
  outputBytes: Schema.optionalKey(
    Schema.Finite.annotate({ description: "Of the whole output as JSON, if it is truncated." })
  ),
  outputExcerpt: Schema.optionalKey(described("Beginning of its JSON text, if it is truncated.")),
  outputText: Schema.optionalKey(
    described("Its JSON text, if it has integers past 2^53: `output` shows them rounded.")
  ),
  input: Schema.optionalKey(
    Schema.Json.annotate({ description: "With `includeInput`; null: too large, or erased." })
  ),
  inputText: Schema.optionalKey(described("Its JSON text, if it has integers past 2^53.")),
  inputExcerpt: Schema.optionalKey(described("Beginning of its JSON text, if it is too large.")),
  media: Schema.Array(MediaItem).annotate({
    description: "Files in `output`, stored here: their URLs can be given to the user."
  }),
  validationErrors: Schema.optionalKey(
    Schema.Array(Violation).annotate({
      description: "With `invalid_output`: where it breaks its schema, at most 20."
    })
  ),
  logs: Schema.Array(Schema.String).annotate({ description: "The last lines." }),
  responseUrl: described("The whole result over HTTP, with an API key of the account.")
})
export type RequestReport = typeof RequestReport.Type

export const requestId = Arguments.text({ maxLength: 100 }).annotate({
  description: "The id from run_model or list_my_requests, 21 characters.",
  examples: ["rq0qXk2Ab-0Zp1aB3dE5f"]
})

export const usualOutputBytes = 50_000
const mostOutputBytes = 1_000_000

export const maxOutputBytes = Arguments.optional(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: mostOutputBytes })).annotate({
    description:
      "Largest output that is given whole, in bytes of JSON; of a larger one its beginning of this size. URLs of files are in `media` whatever the size.",
    default: usualOutputBytes
  })
)

const mostViolations = 20
const mostLogLines = 20
/** Characters. */
const longestLogLine = 500
const longestError = 4_000

const lastLines = (logs: ReadonlyArray<string>): ReadonlyArray<string> =>
  logs.slice(-mostLogLines).map((line) => line.slice(0, longestLogLine))

const ended = "The run has ended, and nothing was charged."

const cut =
  "The request was cancelled while it ran: the output is what it had made by then, and only that was charged."

const short = "Less was delivered than was asked for, and only that was charged."

/** @param bytes of the output's JSON, above the limit. */
const truncated = (bytes: number): string =>
  bytes <= mostOutputBytes
    ? `Done. The output is larger than maxOutputBytes: call get_request with maxOutputBytes ${bytes} to get all of it, or give the user the URLs in media.`
    : `Done. The output has ${bytes} bytes, more than a tool returns (${mostOutputBytes}): work with outputExcerpt, and give the user the URLs in media, or the responseUrl, where a program with an API key of the account can fetch all of it.`

const nextOf = (
  { erasedAt, outcome }: Pick<ResultView.RetrievedBody, "erasedAt" | "outcome">,
  output: BoundedJson.BoundedJson,
  isCut: boolean
): string => {
  const done = output.excerpt === null ? "Done." : truncated(output.bytes)
  if (erasedAt !== null)
    return `Input, output and files of the request were erased at ${erasedAt} and cannot be fetched any more. Run the model again to get an output.`
  switch (outcome) {
    case "pending":
      return "The request has not ended yet: call wait_for_request with its requestId."
    case "succeeded":
      return done
    case "partial":
      return `${done} ${isCut ? cut : short}`
    case "invalid_output":
      return `The model's output does not match its declared schema and is not returned. ${ended}`
    case "provider_failed":
    case "failed":
      return `${ended} Read the error, remove the cause, and call run_model with a new idempotencyKey.`
    case "cancelled":
      return `The request was cancelled. ${ended}`
    case "expired":
      return `The request did not end before its deadline. ${ended}`
  }
}

export interface ReportOptions {
  /** Bytes of JSON. */
  readonly maxOutputBytes?: number
  readonly includeInput?: boolean
}

export const of = (
  urls: Parameters<typeof ResultView.retrieved>[0],
  snapshot: Snapshot,
  payloads: ResultView.RequestPayloads<BoundedJson.BoundedJson>,
  { includeInput = false }: ReportOptions
): RequestReport => {
  const result = ResultView.retrieved(urls, snapshot, payloads)
  const output = result.output ?? BoundedJson.nothing
  const input = includeInput ? result.input : null
  const { violations } = snapshot.request
  return {
    ...listed(result),
    stillRunning: !isTerminal(snapshot.request.phase),
    message: nextOf(result, output, snapshot.request.isCut === true),
    output: output.whole,
    outputTruncated: output.excerpt !== null,
    ...(output.excerpt !== null && { outputBytes: output.bytes, outputExcerpt: output.excerpt }),
    ...ExactText.beside({ output: output.whole }),
    ...(output.digits !== null && { outputText: output.digits }),
    ...(input !== null && { input: input.whole, ...ExactText.beside({ input: input.whole }) }),
    ...(typeof input?.excerpt === "string" && { inputExcerpt: input.excerpt }),
    media: result.media,
    ...(violations.length > 0 && { validationErrors: violations.slice(0, mostViolations) }),
    logs: lastLines(snapshot.request.logs),
    responseUrl: result.response_url
  }
}

/** The fields that lists show too. */
export const listed = (result: Omit<ResultView.RetrievedBody, "input" | "output">) => ({
  requestId: result.id,
  modelEndpoint: result.modelEndpoint,
  status: result.status,
  outcome: result.outcome,
  error: result.error === null ? null : result.error.slice(0, longestError),
  ...(result.details !== undefined && { details: result.details }),
  pricing: { cost: result.cost, currency: MoneyView.currency, billingStatus: result.billingStatus } as const,
  inferenceTime: result.inferenceTime,
  delayTime: result.delayTime,
  createdAt: result.createdAt,
  metadata: result.metadata,
  expiresAt: result.expiresAt,
  erasedAt: result.erasedAt
})

/** What get_request and wait_for_request answer: the request as it is now, and what to do next. */
import { Schema } from "effect"
import { BillingStatus } from "#domain/inference-request/Event.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import { OutcomeWord, Status } from "#domain/inference-request/Status.ts"
import * as MediaView from "#src/http/views/MediaView.ts"
import * as MoneyView from "#src/http/views/MoneyView.ts"
import * as ResultView from "#src/http/views/ResultView.ts"
import type { Snapshot } from "#src/requests/Requests.ts"
import * as Arguments from "../Arguments.ts"
import * as BoundedJson from "./BoundedJson.ts"

const told = (description: string) => Schema.String.annotate({ description })
const toldOrNull = (description: string) => Schema.NullOr(Schema.String).annotate({ description })
const millisOrNull = (what: string) =>
  Schema.NullOr(Schema.Finite).annotate({ description: `${what}, in milliseconds; null while unknown.` })

const MediaItem = Schema.Struct({
  ...MediaView.MediaItem.fields,
  fileId: told("The file's own name here."),
  contentType: told("Media type of the file, such as image/png."),
  size: Schema.Finite.annotate({ description: "Bytes." })
})

const Violation = Schema.Struct({
  instancePath: told("JSON pointer into the output."),
  message: told("What is wrong there.")
})

export const currency = MoneyView.Currency.annotate({ description: "Of all amounts here." })

export const Pricing = Schema.Struct({
  cost: told("What was charged, in USD, as a decimal; 0 until the request has ended."),
  currency,
  billingStatus: Schema.NullOr(BillingStatus).annotate({
    description:
      "`charged` in full, `partial` for what was delivered, `failed`: nothing was charged; null until the request has ended."
  })
}).annotate({ description: "What the request costs." })

/** What lists show of a request, too. */
export const fields = {
  requestId: told("21 characters; what the other tools know the request by."),
  modelEndpoint: told("`owner/name` of the model or wrapper that it runs."),
  status: Status.annotate({
    description: "`COMPLETED`, `FAILED` and `CANCELLED` are final; see `outcome` for how it ended."
  }),
  outcome: OutcomeWord.annotate({
    description:
      "`succeeded` and `partial` have an output; `pending` has not ended; `invalid_output`, `provider_failed`, `failed`, `cancelled` and `expired` have none and are not charged."
  }),
  error: toldOrNull("Why there is no output, in the provider's words; null when nothing went wrong."),
  pricing: Pricing,
  inferenceTime: millisOrNull("Time of the run"),
  delayTime: millisOrNull("From accepted to started"),
  createdAt: told("When it was accepted, ISO 8601."),
  metadata: Schema.Record(Schema.String, Schema.String).annotate({ description: "As given to run_model." }),
  expiresAt: told("When input, output and files are erased, ISO 8601."),
  erasedAt: toldOrNull("When input, output and files were erased, ISO 8601; null while they are there.")
}

export const RequestReport = Schema.Struct({
  ...fields,
  stillRunning: Schema.Boolean.annotate({ description: "Whether the request has not ended yet." }),
  message: told("What this means and what to do next."),
  output: Schema.Json.annotate({
    description:
      "As the model defines it; null when there is none, and when it is too large (`outputTruncated`)."
  }),
  outputTruncated: Schema.Boolean.annotate({
    description: "Whether the output is larger than `maxOutputBytes`: `outputExcerpt` has its beginning."
  }),
  outputBytes: Schema.optionalKey(
    Schema.Finite.annotate({ description: "Size of the whole output as JSON; only when it is truncated." })
  ),
  outputExcerpt: Schema.optionalKey(
    told("The beginning of the output's JSON text, cut off; only when it is truncated.")
  ),
  input: Schema.optionalKey(
    Schema.Json.annotate({
      description: "As submitted; only with `includeInput`. null when it is too large, and once erased."
    })
  ),
  inputExcerpt: Schema.optionalKey(
    told("The beginning of the input's JSON text, cut off; only when it is asked for and too large.")
  ),
  media: Schema.Array(MediaItem).annotate({
    description: "The files in `output`, stored here: their URLs are public and can be given to the user."
  }),
  validationErrors: Schema.optionalKey(
    Schema.Array(Violation).annotate({
      description: "Where the output breaks the model's schema, the first 20; only with `invalid_output`."
    })
  ),
  logs: Schema.Array(Schema.String).annotate({ description: "The last lines that the run has logged." }),
  responseUrl: told("Where the whole result can be fetched over HTTP. It needs an API key of the account.")
}).annotate({ description: "The request as it is now." })
export type RequestReport = typeof RequestReport.Type

export const requestId = Schema.String.check(Schema.isMaxLength(100)).annotate({
  description: "The id that run_model or list_my_requests gave, 21 characters.",
  examples: ["rq0qXk2Ab-0Zp1aB3dE5f"]
})

const usualOutputBytes = 50_000

export const maxOutputBytes = Arguments.optional(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })).annotate({
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

const ended = "The run is over and nothing was charged."

const nextOf = ({ erasedAt, outcome }: ResultView.RetrievedBody, isTruncated: boolean): string => {
  if (erasedAt !== null)
    return `Input, output and files of the request were erased at ${erasedAt} and cannot be fetched any more. To have an output, run the model again.`
  switch (outcome) {
    case "pending":
      return "The request has not ended yet: call wait_for_request with its requestId."
    case "succeeded":
    case "partial":
      return isTruncated
        ? "Done. The output is larger than maxOutputBytes: call get_request with a larger maxOutputBytes, or give the user the URLs in media or the responseUrl, which needs an API key."
        : "Done."
    case "invalid_output":
      return `The model's output does not match its declared schema and is not handed out. ${ended}`
    case "provider_failed":
    case "failed":
      return `${ended} Read error: with the cause removed, call run_model with a new idempotencyKey.`
    case "cancelled":
      return `The request was cancelled. ${ended}`
    case "expired":
      return `The request was not done within its deadline. ${ended}`
  }
}

export interface Asked {
  /** Bytes of JSON. */
  readonly maxOutputBytes?: number
  readonly includeInput?: boolean
}

export const of = (
  urls: Parameters<typeof ResultView.retrieved>[0],
  snapshot: Snapshot,
  payloads: ResultView.RequestPayloads,
  { includeInput = false, maxOutputBytes: mostBytes = usualOutputBytes }: Asked
): RequestReport => {
  const result = ResultView.retrieved(urls, snapshot, payloads)
  const output = BoundedJson.of(result.output, mostBytes)
  const input = includeInput ? BoundedJson.of(result.input, mostBytes) : null
  const { violations } = snapshot.request
  return {
    ...listed(result),
    stillRunning: !isTerminal(snapshot.request.phase),
    message: nextOf(result, output.excerpt !== null),
    output: output.whole,
    outputTruncated: output.excerpt !== null,
    ...(output.excerpt !== null && { outputBytes: output.bytes, outputExcerpt: output.excerpt }),
    ...(input !== null && { input: input.whole }),
    ...(typeof input?.excerpt === "string" && { inputExcerpt: input.excerpt }),
    media: result.media,
    ...(violations.length > 0 && { validationErrors: violations.slice(0, mostViolations) }),
    logs: lastLines(snapshot.request.logs),
    responseUrl: result.response_url
  }
}

/** What lists show of it, too. */
export const listed = (result: Omit<ResultView.RetrievedBody, "input" | "output">) => ({
  requestId: result.id,
  modelEndpoint: result.modelEndpoint,
  status: result.status,
  outcome: result.outcome,
  error: result.error === null ? null : result.error.slice(0, longestError),
  pricing: { cost: result.cost, currency: MoneyView.currency, billingStatus: result.billingStatus } as const,
  inferenceTime: result.inferenceTime,
  delayTime: result.delayTime,
  createdAt: result.createdAt,
  metadata: result.metadata,
  expiresAt: result.expiresAt,
  erasedAt: result.erasedAt
})

/**
 * Replicate's prediction object (https://replicate.com/docs/reference/http) and its statuses
 * (https://replicate.com/docs/topics/predictions/lifecycle).
 */
import { Option, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as JobReport from "../JobReport.ts"
import { fractionOf, linesOf } from "../LogText.ts"
import * as Refusals from "../Refusals.ts"
import * as Seconds from "../Seconds.ts"

const Prediction = Schema.Struct({
  /** Becomes part of addresses. */
  id: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/)),
  status: Schema.Literals(["starting", "processing", "succeeded", "failed", "canceled", "aborted"]),
  output: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(Schema.Json),
  /** All lines so far, as one text. */
  logs: Schema.optionalKey(Schema.NullOr(Schema.String)),
  metrics: Schema.optionalKey(Schema.Json),
  /** Input, output and logs are deleted an hour after the end. */
  data_removed: Schema.optionalKey(Schema.NullOr(Schema.Boolean))
})
export type Prediction = typeof Prediction.Type

const decode = Schema.decodeUnknownOption(Prediction)

/** `null` if malformed. */
export const read = (json: Json | undefined): Prediction | null => Option.getOrNull(decode(json))

const removed: ProviderOutcome = {
  _tag: "Lost",
  message: "Replicate deleted the prediction's output before it could be read."
}
const aborted = Refusals.failed(
  "Replicate could not start the prediction within the model's time limit.",
  false
)

export const reportOf = (prediction: Prediction): JobReport.JobReport => {
  const { data_removed: isRemoved, error, metrics, output = null, status } = prediction
  const logs = prediction.logs ?? ""
  const ended = (outcome: ProviderOutcome) => JobReport.ended(outcome, linesOf(logs, true))
  switch (status) {
    case "starting":
      return JobReport.waiting
    case "processing":
      return { _tag: "Running", fraction: fractionOf(logs), logs: linesOf(logs, false) }
    case "succeeded":
      return ended(
        isRemoved === true && output === null
          ? removed
          : { _tag: "Succeeded", output, delivered: null, ...Seconds.told(metrics, "predict_time") }
      )
    case "failed":
      return ended(Refusals.modelFailed(error))
    case "canceled":
      return ended({ _tag: "Stopped" })
    case "aborted":
      return ended(aborted)
  }
}

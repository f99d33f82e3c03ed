/**
 * Replicate's prediction object, as https://replicate.com/docs/reference/http has it; what its statuses mean is in
 * https://replicate.com/docs/topics/predictions/lifecycle.
 */
import { Option, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as JobReport from "../JobReport.ts"
import * as Refusals from "../Refusals.ts"

const Prediction = Schema.Struct({
  /** It becomes a part of addresses that are called. */
  id: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/)),
  status: Schema.Literals(["starting", "processing", "succeeded", "failed", "canceled", "aborted"]),
  output: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(Schema.Json),
  /** All of them so far, as one text. */
  logs: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Input, output and logs are deleted, an hour after the end. */
  data_removed: Schema.optionalKey(Schema.NullOr(Schema.Boolean))
})
export type Prediction = typeof Prediction.Type

const decode = Schema.decodeUnknownOption(Prediction)

/** `null` for what is none. */
export const read = (json: Json | undefined): Prediction | null => Option.getOrNull(decode(json))

const bar = /(\d{1,3})%\|/g

/** What a terminal would show of the log: a carriage return takes back what its line has so far. */
const shown = (line: string): string => line.replace(/\r+$/, "").replace(/^.*\r/s, "")

/** The lines that are whole, without the progress bars among them. A log that is not `over` may end in the middle of one. */
export const linesOf = (logs: string, over: boolean): ReadonlyArray<string> => {
  const lines = logs.split("\n")
  const whole = over ? lines : lines.slice(0, -1)
  return whole.map(shown).filter((line) => line.trim() !== "" && !/^\s*\d{1,3}%\|/.test(line))
}

/** 0..1, of the newest progress bar (`12%|█▏ | 6/50`); `null` without one. */
export const fractionOf = (logs: string): number | null => {
  const percent = [...logs.slice(-4_096).matchAll(bar)].at(-1)?.[1]
  return percent === undefined ? null : Math.min(Number(percent) / 100, 1)
}

const removed: ProviderOutcome = {
  _tag: "Lost",
  message: "Replicate deleted the prediction's output before it could be read."
}
const aborted = Refusals.failed(
  "Replicate could not start the prediction within the model's time limit.",
  false
)

export const reportOf = (prediction: Prediction): JobReport.JobReport => {
  const { data_removed: isRemoved, error, output = null, status } = prediction
  const logs = prediction.logs ?? ""
  const ended = (outcome: ProviderOutcome) => JobReport.ended(outcome, linesOf(logs, true))
  switch (status) {
    case "starting":
      return JobReport.waiting
    case "processing":
      return { _tag: "Running", fraction: fractionOf(logs), logs: linesOf(logs, false) }
    case "succeeded":
      return ended(
        isRemoved === true && output === null ? removed : { _tag: "Succeeded", output, delivered: null }
      )
    case "failed":
      return ended(Refusals.modelFailed(error))
    case "canceled":
      return ended({ _tag: "Stopped" })
    case "aborted":
      return ended(aborted)
  }
}

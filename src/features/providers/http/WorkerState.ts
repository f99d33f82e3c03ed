/** What a worker reports about a run, in every place (`docs/reference/provider-contract.md`, "States"). */
import { Option, Schema } from "effect"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import * as JobReport from "../JobReport.ts"
import { linesOf } from "../LogText.ts"
import * as ReportedOutput from "../ReportedOutput.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"

/** All lines so far, as a list or as one text. */
const Logs = Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)]))

const Failed = Schema.Struct({
  error: Schema.Union([Schema.String, Schema.Struct({ message: Schema.String })]),
  logs: Logs
})

const Succeeded = Schema.Struct({
  output: Schema.Json,
  units: Schema.optionalKey(
    Schema.NullOr(Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 })))
  ),
  /** Run time of the model, s. */
  seconds: Schema.optionalKey(
    Schema.NullOr(Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 })))
  ),
  logs: Logs
})

const Doing = Schema.Struct({
  status: Schema.Literals(["queued", "running", "cancelled"]),
  progress: Schema.optionalKey(
    Schema.NullOr(Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 })))
  ),
  logs: Logs
})

const decodeFailed = Schema.decodeUnknownOption(Failed)
const decodeSucceeded = Schema.decodeUnknownOption(Succeeded)
const decodeDoing = Schema.decodeUnknownOption(Doing)

const lines = (logs: string | ReadonlyArray<string> | undefined, isOver: boolean): ReadonlyArray<string> =>
  typeof logs === "string" ? linesOf(logs, isOver) : (logs ?? [])

/** `null` if malformed. `error` takes precedence over `output`, and both over `status`. */
export const read = (json: Json | undefined): JobReport.JobReport | null => {
  const failed = decodeFailed(json)
  if (Option.isSome(failed)) {
    // With the code of the error, which the worker may have from an upstream of its own.
    return JobReport.ended(
      ErrorOutcomes.modelFailed(isObject(json) ? { error: json["error"] ?? null } : json),
      lines(failed.value.logs, true)
    )
  }
  const succeeded = decodeSucceeded(json)
  if (Option.isSome(succeeded)) {
    const { logs, seconds = null, units = null } = succeeded.value
    const delivered = units === null ? null : Option.getOrNull(Money.quantityOf(units))
    const measure = seconds === null ? {} : { seconds }
    return JobReport.ended(
      { _tag: "Succeeded", ...ReportedOutput.of(json), delivered, ...measure },
      lines(logs, true)
    )
  }
  return Option.match(decodeDoing(json), {
    onNone: () => null,
    onSome: ({ logs, progress = null, status }) => {
      switch (status) {
        case "queued":
          return JobReport.waiting
        case "running":
          return { _tag: "Running", fraction: progress, logs: lines(logs, false) }
        case "cancelled":
          return JobReport.ended({ _tag: "Stopped" }, lines(logs, true))
      }
    }
  })
}

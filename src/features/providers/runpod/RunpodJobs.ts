/**
 * The messages to and from Runpod Serverless about a job
 * (https://docs.runpod.io/serverless/endpoints/operation-reference,
 * https://docs.runpod.io/serverless/endpoints/job-states).
 */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { JobReport } from "../JobReport.ts"
import * as Report from "../JobReport.ts"
import type { Job } from "../Provider.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as ReportedOutput from "../ReportedOutput.ts"
import * as Seconds from "../Seconds.ts"
import type { Options } from "./Options.ts"

const secondMs = 1_000
const hourMs = 3_600 * secondMs
const weekMs = 7 * 24 * hourMs

const between = (least: number, value: number, most: number) => Math.min(Math.max(value, least), most)

/** A job may run as long as its model may, and is deleted after another hour, so that it costs no more. */
const policyOf = ({ model }: Job, { lowPriority }: Options): JsonObject => {
  const timeoutMs = Math.ceil(model.timeoutSeconds * secondMs)
  return {
    executionTimeout: between(6 * secondMs, timeoutMs, weekMs),
    ttl: between(10 * secondMs, timeoutMs + hourMs, weekMs),
    ...(lowPriority !== undefined && { lowPriority })
  }
}

/** Body of `/run`. Runpod gets a callback address if it can reach it. */
export const bodyOf = (job: Job, options: Options, webhook: string | null): JsonObject => ({
  input: job.input,
  ...(webhook !== null && { webhook }),
  policy: policyOf(job, options)
})

/** As part of a path. */
export const isJobId = (id: Json | undefined): id is string =>
  typeof id === "string" && /^[A-Za-z0-9_-]{1,128}$/.test(id)

/** Why a handler failed. Python handlers report a text of JSON; only its message is shown, not the traceback. */
const saidIn = (error: Json | undefined): Json | undefined => {
  if (typeof error !== "string" || !error.startsWith("{")) return error
  try {
    const thrown = JSON.parse(error) as Json
    return isObject(thrown) && typeof thrown["error_message"] === "string" ? thrown["error_message"] : error
  } catch {
    return error
  }
}

/** The last `progress_update`, as a line. */
const lineOf = (update: Json | undefined): string | null => {
  if (update === undefined || update === null) return null
  return ErrorOutcomes.clean(typeof update === "string" ? update : JSON.stringify(update)) || null
}

const fractionOf = (update: Json | undefined): number | null => {
  const progress = isObject(update) ? update["progress"] : update
  return typeof progress === "number" && progress >= 0 && progress <= 1 ? progress : null
}

const succeeded = (status: JsonObject): ProviderOutcome => ({
  _tag: "Succeeded",
  ...ReportedOutput.of(status),
  delivered: null,
  ...Seconds.measured(status, "executionTime", secondMs)
})

const stopped: ProviderOutcome = { _tag: "Stopped" }

const timedOut = ErrorOutcomes.failed("The job timed out at the provider.", true)

/** The report of a job; `null` if malformed. `lines` collects the updates, of which Runpod keeps only the newest. */
export const reportOf = (status: Json | undefined, lines: Array<string>): JobReport | null => {
  if (!isObject(status)) return null
  switch (status["status"]) {
    case "IN_QUEUE":
      return Report.waiting
    case "IN_PROGRESS":
    case "RUNNING": {
      const line = lineOf(status["output"])
      if (line !== null && line !== lines.at(-1)) lines.push(line)
      return { _tag: "Running", fraction: fractionOf(status["output"]), logs: [...lines] }
    }
    case "COMPLETED":
      return Report.ended(succeeded(status), lines)
    case "FAILED":
      return Report.ended(ErrorOutcomes.modelFailed(saidIn(status["error"])), lines)
    case "CANCELLED":
      return Report.ended(stopped, lines)
    case "TIMED_OUT":
      return Report.ended(timedOut, lines)
    default:
      return null
  }
}

/** A run that the worker answers with a stream of events (docs/reference/provider-contract.md, "Streams"). */
import { Effect } from "effect"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import type { NoAnswer } from "../NoAnswer.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as JobReport from "../JobReport.ts"
import type { OutputChunks } from "../OutputChunks.ts"
import type { RunControl } from "../Provider.ts"
import type { StreamedAnswer } from "../ProviderHttp.ts"
import * as ReportedOutput from "../ReportedOutput.ts"
import * as ServerEvents from "../ServerEvents.ts"
import * as WorkerState from "./WorkerState.ts"

/** Characters of a `log` event: the newest. A request keeps no more. */
const mostLogged = 64 * 1024

const babbleOf = (event: ServerEvents.ServerEvent) => JobReport.ended(ErrorOutcomes.ofEvent(event))

/** The state that ends a run, with what the chunks add up to unless it has an output of its own. */
const endOf = (event: ServerEvents.ServerEvent, chunks: OutputChunks): JobReport.JobReport => {
  const json = ServerEvents.jsonOf(event)
  const isOfChunks = isObject(json) && json["output"] === undefined
  const report = WorkerState.read(isOfChunks ? { ...json, output: null } : json)
  if (report?._tag !== "Ended") return babbleOf(event)
  return isOfChunks && report.outcome._tag === "Succeeded"
    ? { ...report, outcome: { ...report.outcome, ...ReportedOutput.ofSpelled(chunks.output()) } }
    : report
}

const progressOf = (json: Json | undefined): number | null => {
  const fraction = isObject(json) ? json["progress"] : json
  return typeof fraction === "number" ? fraction : null
}

/** How the run ended. Fails if the connection is lost before. */
export const read = (
  answer: Pick<StreamedAnswer, "each">,
  chunks: OutputChunks,
  control: Pick<RunControl, "note">
): Effect.Effect<JobReport.JobReport, NoAnswer> =>
  Effect.suspend(() => {
    let end: JobReport.JobReport | null = null

    const reportOf = (event: ServerEvents.ServerEvent): JobReport.JobReport | null => {
      switch (event.event) {
        case "chunk": {
          const chunk = ServerEvents.spelledOf(event)
          if (chunk === undefined) return babbleOf(event)
          return chunks.take(chunk.value, chunk.scalar)
            ? null
            : JobReport.ended(chunks.fault() ?? ErrorOutcomes.babble)
        }
        case "restart":
          chunks.restart()
          return null
        case "progress":
          control.note({ fraction: progressOf(ServerEvents.jsonOf(event)), logs: [] })
          return null
        case "log":
          control.note({ fraction: null, logs: event.data.slice(-mostLogged).split("\n") })
          return null
        case "completed":
          return endOf(event, chunks)
        case "failed": {
          const report = WorkerState.read(ServerEvents.jsonOf(event))
          return report?._tag === "Ended" && report.outcome._tag === "ModelFailed" ? report : babbleOf(event)
        }
        case "cancelled":
          return JobReport.ended({ _tag: "Stopped" })
        default:
          return null
      }
    }

    const take = (event: ServerEvents.ServerEvent): boolean => {
      end = reportOf(event)
      return end === null
    }
    return Effect.map(
      ServerEvents.read(answer, take, ServerEvents.largeEventSize),
      () => end ?? JobReport.ended(ErrorOutcomes.cutOff)
    )
  })

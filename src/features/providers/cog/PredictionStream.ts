/** A prediction as events (https://cog.run/http, "Streaming predictions with server-sent events"). */
import { Effect } from "effect"
import { isObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as JobReport from "../JobReport.ts"
import type { StreamedAnswer } from "../ProviderHttp.ts"
import * as ServerEvents from "../ServerEvents.ts"
import type { OutputParts } from "./OutputParts.ts"
import * as Prediction from "./Prediction.ts"

/** What the stream says about an event: `cut` where nothing more can be read from it. */
const reportOf = (
  event: ServerEvents.ServerEvent,
  id: string,
  parts: OutputParts
): JobReport.JobReport | "cut" | null => {
  switch (event.event) {
    case "output": {
      const json = ServerEvents.jsonOf(event)
      const chunk = JsonText.spelledMember(json, "chunk")
      if (!isObject(json) || chunk === undefined || typeof json["index"] !== "number") return "cut"
      return parts.take(chunk, json["index"]) ? null : JobReport.ended(parts.fault() ?? ErrorOutcomes.babble)
    }
    case "completed": {
      const report = Prediction.read(ServerEvents.jsonOf(event), id)
      return report?._tag === "Ended" ? report : "cut"
    }
    // "If earlier events have been dropped from the replay buffer."
    case "error":
      return "cut"
    default:
      // Lines of the log also come by webhook.
      return null
  }
}

/** The end of the prediction, or `null` if the stream does not reach it: then its webhook tells. */
export const read = (
  answer: Pick<StreamedAnswer, "each">,
  id: string,
  parts: OutputParts
): Effect.Effect<JobReport.JobReport | null> =>
  Effect.suspend(() => {
    let end: ReturnType<typeof reportOf> = null
    const take = (event: ServerEvents.ServerEvent): boolean => {
      end = reportOf(event, id, parts)
      return end === null
    }
    return ServerEvents.read(answer, take, ServerEvents.largeEventSize).pipe(
      Effect.map(() => (end === "cut" ? null : end)),
      Effect.orElseSucceed(() => null)
    )
  })

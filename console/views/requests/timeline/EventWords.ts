/** What an event says, in a sentence. */
import { durationText } from "#console/design/data/Duration.tsx"
import { moneyText } from "#console/design/data/Money.tsx"
import { type Entry, textOf } from "./Entry.ts"

const reasons: Readonly<Record<string, string>> = {
  transport_error: "the connection to the provider failed",
  rate_limited: "the provider limits its rate",
  lost: "the server of the run was gone",
  shutdown: "the server of the run was stopped",
  unreachable: "the provider could not be reached",
  media_missing: "a file of the output was missing",
  refused: "the provider refused it",
  requested: "on request",
  expired: "its time was up",
  account: "the account was erased",
  exhausted: "all attempts are used up",
  gone: "the receiver answered 410 Gone",
  private_address: "its address is private",
  erased: "its body was erased",
  body_damaged: "its body is damaged"
}

const reasonOf = (entry: Entry): string => {
  const reason = textOf(entry, "reason")
  return reason === null ? "" : (reasons[reason] ?? reason.replaceAll("_", " "))
}

const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

const progressWords = (entry: Entry): string => {
  const { fraction, logs } = entry.data
  const parts = [
    ...(typeof fraction === "number" ? [`${Math.round(fraction * 100)} % done`] : []),
    ...(countOf(logs) > 0 ? [plural(countOf(logs), "log line")] : [])
  ]
  return parts.length === 0 ? "The run is alive" : parts.join(", ")
}

const completedWords = (entry: Entry): string => {
  const error = textOf(entry, "error")
  const cost = textOf(entry, "cost") ?? "0"
  if (error !== null) return `The run failed: ${error}`
  return Number(cost) === 0 ? "Completed, nothing charged" : `Completed, ${moneyText(cost)} charged`
}

const answerOf = (entry: Entry): string => {
  const status = textOf(entry, "responseStatus")
  return status === null
    ? (textOf(entry, "error") ?? "no answer").replaceAll("_", " ")
    : `the receiver answered ${status}`
}

const took = (entry: Entry): string => {
  const { durationMs } = entry.data
  return typeof durationMs === "number" ? ` after ${durationText(durationMs)}` : ""
}

export const wordsOf = (entry: Entry): string => {
  const run = textOf(entry, "attempt") ?? "?"
  switch (entry.type) {
    case "RequestSubmitted": {
      const hold = textOf(entry, "hold") ?? "0"
      return Number(hold) === 0 ? "Accepted" : `Accepted, ${moneyText(hold)} held`
    }
    case "DispatchStarted":
      return `Run ${run} handed to the provider`
    case "ProviderAccepted":
      return `The provider accepted run ${run}`
    case "RunTakenOver":
      return `Another server follows run ${run} from now on`
    case "RequestStarted":
      return `Run ${run} started`
    case "ProgressReported":
      return progressWords(entry)
    case "OutputReceived":
      return entry.data["cut"] === true
        ? "Stopped on request; what it had made by then was received"
        : "Output received"
    case "MediaStored":
      return `${plural(countOf(entry.data["media"]), "file")} of the output stored`
    case "OutputRejected":
      return `The output breaks the model's schema in ${plural(countOf(entry.data["violations"]), "place")}`
    case "RequestCompleted":
      return completedWords(entry)
    case "RequestFailed":
    case "RequestForceFailed":
      return `Failed: ${textOf(entry, "error") ?? reasonOf(entry)}`
    case "RequestRequeued":
      return `Back in the queue: ${reasonOf(entry)}`
    case "SweepRetried":
      return `Tried again: ${reasonOf(entry)}`
    case "CancelRequested":
      return "The provider was asked to stop"
    case "RequestCancelled":
      return `Cancelled, ${reasonOf(entry)}`
    case "LateOutcomeIgnored":
      return `Run ${run} ended too late and was ignored`
    case "PayloadsErased":
      return textOf(entry, "deliveryId") === null
        ? `Input and output erased, ${reasonOf(entry)}`
        : "The webhook's body was erased"
    case "ErasedFilesRemoved":
      return "The files of the erased output are removed"
    case "DeliveryScheduled":
      return `Webhook "${textOf(entry, "event") ?? ""}" is due`
    case "AttemptStarted":
      return `Webhook attempt ${run} sent`
    case "AttemptSucceeded":
      return `Webhook accepted: ${answerOf(entry)}${took(entry)}`
    case "AttemptFailed":
      return `Webhook not accepted: ${answerOf(entry)}${took(entry)}`
    case "AttemptLost":
      return "The server ended during the attempt"
    case "DeliveryFailed":
      return `Webhook given up: ${reasonOf(entry)}`
    case "ReplayRequested":
      return "Webhook sent again on request"
    default:
      return entry.type
  }
}

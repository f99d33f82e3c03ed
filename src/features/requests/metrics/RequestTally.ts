/** What requests did in this process since the last look, as counts: for operators' charts. */
import { Context, Layer } from "effect"
import type { Event } from "#domain/inference-request/Event.ts"
import * as WaitBuckets from "./WaitBuckets.ts"

export interface Counts {
  readonly accepted: number
  /** First and further runs that began. */
  readonly dispatched: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  /** Runs that ended so that their request waits again. */
  readonly requeued: number
  /** Waits from submit to the first run, by bucket (`WaitBuckets`). */
  readonly waits: WaitBuckets.Buckets
}

export const none: Counts = {
  accepted: 0,
  dispatched: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  requeued: 0,
  waits: []
}

/** Both together. */
export const add = (a: Counts, b: Counts): Counts => ({
  accepted: a.accepted + b.accepted,
  dispatched: a.dispatched + b.dispatched,
  completed: a.completed + b.completed,
  failed: a.failed + b.failed,
  cancelled: a.cancelled + b.cancelled,
  requeued: a.requeued + b.requeued,
  waits: WaitBuckets.add(a.waits, b.waits)
})

interface Tally {
  /** @param submittedAt of the event's request, Unix time in ms. */
  readonly note: (event: Event, submittedAt: number) => void
  /** The counts since the last call. */
  readonly take: () => Counts
}

/** Without `layer`, nothing is counted. */
export const RequestTally = Context.Reference<Tally>("inferlog/src/features/requests/metrics/RequestTally", {
  defaultValue: () => ({ note: () => undefined, take: () => none })
})

type Counted = Exclude<keyof Counts, "waits">

const kindOf = (event: Event): Counted | null => {
  switch (event._tag) {
    case "RequestSubmitted":
      return "accepted"
    case "DispatchStarted":
      return "dispatched"
    case "RequestCompleted":
      return "completed"
    case "RequestFailed":
    case "RequestForceFailed":
      return "failed"
    case "RequestCancelled":
      return "cancelled"
    case "RequestRequeued":
    case "SweepRetried":
      return "requeued"
    case "ProviderAccepted":
    case "RunTakenOver":
    case "RequestStarted":
    case "ProgressReported":
    case "OutputReceived":
    case "OutputRejected":
    case "CancelRequested":
    case "LateOutcomeIgnored":
    case "MediaStored":
    case "PayloadsErased":
    case "ErasedFilesRemoved":
      return null
  }
}

export const make = (): Tally => {
  let counts = { ...none }
  let waits = WaitBuckets.make()
  return {
    note: (event, submittedAt) => {
      const kind = kindOf(event)
      if (kind === null) return
      counts[kind]++
      if (event._tag === "DispatchStarted" && event.attempt === 1) {
        WaitBuckets.note(waits, event.at - submittedAt)
      }
    },
    take: () => {
      const taken: Counts = { ...counts, waits: WaitBuckets.trimmed(waits) }
      counts = { ...none }
      waits = WaitBuckets.make()
      return taken
    }
  }
}

export const layer = Layer.sync(RequestTally, make)

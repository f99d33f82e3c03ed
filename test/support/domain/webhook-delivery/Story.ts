/** The vocabulary of a delivery's scenarios. Times are small numbers of ms, for readability. */
import { AccountId, RequestId } from "#domain/Ids.ts"
import type { AttemptResult, Command } from "#domain/webhook-delivery/Command.ts"
import type { DeliveryScheduled, Event, FailureReason } from "#domain/webhook-delivery/Event.ts"
import type { Delivery, State } from "#domain/webhook-delivery/State.ts"

/** The contract's delays in ms, independent of the domain's constants. */
export const delays = [5_000, 30_000, 120_000, 300_000, 600_000, 1_200_000, 1_800_000, 2_700_000, 3_600_000]

export const delivery: Omit<DeliveryScheduled, "_tag"> = {
  at: 1_000,
  accountId: AccountId.make("acc_0123456789abcdef"),
  requestId: RequestId.make("rq0000000000000000001"),
  event: "completed",
  url: "https://example.com/hooks",
  payloads: { body: { hash: "body-hash", size: 12 } }
}

export const scheduled: Event = { _tag: "DeliveryScheduled", ...delivery }

/** Scheduled, and begun by `node` if given. */
export const schedule = (node: string | null = null): Command => ({ _tag: "Schedule", delivery, node })

export const start = (at: number, node = "node-1"): Command => ({ _tag: "StartAttempt", at, node })

export const started = (attempt: number, at: number, node = "node-1"): Event => ({
  _tag: "AttemptStarted",
  at,
  attempt,
  node
})

type Failure = Extract<AttemptResult, { readonly _tag: "Failed" }>

/** The ends of attempts, by their names in a scenario. */
export const failures = {
  unavailable: { _tag: "Failed", responseStatus: 503, error: "http_503" },
  silent: { _tag: "Failed", responseStatus: null, error: "timeout" },
  moved: { _tag: "Failed", responseStatus: 302, error: "redirect_refused" },
  unresolved: { _tag: "Failed", responseStatus: null, error: "dns_error" },
  gone: { _tag: "Failed", responseStatus: 410, error: "gone" },
  privateAddress: { _tag: "Failed", responseStatus: null, error: "private_address" }
} as const satisfies Record<string, Failure>

export const accepted: AttemptResult = { _tag: "Succeeded", responseStatus: 204 }

/** Attempt `attempt` ended at `at` in this way. */
export const end = (
  result: AttemptResult,
  attempt: number,
  at: number
): Extract<Command, { readonly _tag: "RecordAttempt" }> => ({
  _tag: "RecordAttempt",
  at,
  attempt,
  durationMs: 40,
  result
})

export const succeeded = (attempt: number, at: number): Event => ({
  _tag: "AttemptSucceeded",
  at,
  attempt,
  responseStatus: 204,
  durationMs: 40
})

export const failed = (
  attempt: number,
  at: number,
  nextAttemptAt: number | null,
  { error, responseStatus }: Failure = failures.unavailable
): Event => ({ _tag: "AttemptFailed", at, attempt, responseStatus, error, durationMs: 40, nextAttemptAt })

export const lose = (attempt: number, at: number, node = "node-1"): Command => ({
  _tag: "LoseAttempt",
  at,
  attempt,
  node
})

export const lost = (attempt: number, at: number, nextAttemptAt: number | null): Event => ({
  _tag: "AttemptLost",
  at,
  attempt,
  nextAttemptAt
})

export const givenUp = (at: number, reason: FailureReason): Event => ({ _tag: "DeliveryFailed", at, reason })

export const replay = (at: number): Command => ({ _tag: "Replay", at })
export const replayed = (at: number): Event => ({ _tag: "ReplayRequested", at })

export const recover = (at: number, recoveryId = "recovery-1"): Command => ({
  _tag: "Recover",
  at,
  recoveryId
})
export const recovered = (at: number, recoveryId = "recovery-1"): Event => ({
  _tag: "ReplayRequested",
  at,
  recoveryId
})

export const erase = (at: number): Command => ({ _tag: "Erase", at })
export const erased = (at: number): Event => ({ _tag: "PayloadsErased", at, erased: ["body"] })

/** When the retry after `failed` attempts of a schedule is due, if the last failed at `at`. */
const dueAfter = (failed: number, at: number): number => at + (delays[failed - 1] ?? Number.NaN)

/**
 * `count` failed attempts from number `first`, with retries to come: the first began at `at`, each further one when
 * it was due, and none took any time.
 */
export const failedAttempts = (count: number, at: number, first = 1): ReadonlyArray<Event> => {
  const events: Array<Event> = []
  let due = at
  for (let used = 1; used <= count; used++) {
    const begun = due
    due = dueAfter(used, begun)
    events.push(started(first + used - 1, begun), failed(first + used - 1, begun, due))
  }
  return events
}

/** When the attempt after `failedAttempts(count, at)` is due. */
export const dueAfterAll = (count: number, at: number): number =>
  delays.slice(0, count).reduce((due, delay) => due + delay, at)

/** Expects that the delivery exists. */
export const ofDelivery =
  <View>(look: (delivery: Delivery) => View) =>
  (state: State): View => {
    if (state._tag === "NotScheduled") throw new Error("The delivery was not scheduled")
    return look(state)
  }

export const phase = ofDelivery(({ phase }) => phase)

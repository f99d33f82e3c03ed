/** Requests on the log with deadlines, overdue runs or files to store, and their rows in the work queue. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import type { Event, RequestSubmitted } from "#domain/inference-request/Event.ts"
import { units } from "#domain/Money.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { t0 } = Log

export const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

export const submitted = (options: Partial<RequestSubmitted> = {}): RequestSubmitted => ({
  ...Log.submitted(Log.alice, Log.echo),
  ...options
})

export const received: Event = {
  _tag: "OutputReceived",
  at: t0 + 50,
  attempt: 1,
  delivered: units(1),
  payloads: { output: { hash: "hash", size: 2 } }
}
export const receivedMedia: Event = {
  ...received,
  media: [{ path: "/url", fileId: "file", thumbnailId: "thumb" }]
}

export const retried = (reason: "lost" | "media_missing", retry: number, dueAt: number): Event => ({
  _tag: "SweepRetried",
  at: t0 + 60,
  attempt: retry,
  reason,
  retry,
  dueAt
})

/** The queue after it has reached the end of the log. */
export const settled = Effect.andThen(ReadSide.settle("duework"), DueWork)

export const numberOf = ({ requestId }: { readonly requestId: string }) => Number(requestId.slice(2))

/** As `[request, ms after t0]`. */
export const timed = (row: { readonly requestId: string; readonly at: number }) => [
  numberOf(row),
  row.at - t0
]

/** All deadlines. */
export const deadlines = Effect.gen(function* () {
  const found = yield* (yield* settled).deadlines({ now: t0 + 1_000_000, after: null, limit: 100 })
  return found.map(timed)
})

/** All runs that will become overdue without a further event. */
export const overdue = Effect.gen(function* () {
  const found = yield* (yield* settled).overdue({ now: t0 + 1_000_000, after: null, limit: 100 })
  return found.map(timed)
})

/**
 * What requests did on this node in the last hour and in the last minute. Counts are collected every five seconds and kept in
 * memory. The node reports them, so that each node can show all together.
 */
import { Clock, Effect, Layer, Option, Schedule, Schema } from "effect"
import { Demand } from "#src/features/demand/Demand.ts"
import * as RequestTally from "#src/features/requests/metrics/RequestTally.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { type HeardNode, NodeReports } from "#src/platform/cluster/NodeReports.ts"
import * as Minutes from "./Minutes.ts"

const interval = "5 seconds"

/** Looks of which the last minute consists. */
const recentLooks = 12

const Part = Schema.Struct({
  minutes: Schema.Array(Minutes.Minute),
  /** Of the last 60 seconds. */
  recent: Minutes.Counts
})
export type NodePulse = typeof Part.Type

/** The part of a node's report. */
const part = "pulse"

const decode = Schema.decodeUnknownOption(Part)

/** `null` for a node of another release. */
export const of = ({ parts }: HeardNode): NodePulse | null => Option.getOrNull(decode(parts[part]))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const demand = yield* Demand
    const reports = yield* NodeReports
    const tally = yield* RequestTally.RequestTally
    let minutes: ReadonlyArray<Minutes.Minute> = []
    let looks: ReadonlyArray<RequestTally.Counts> = []

    const load = Effect.map(demand.all, (all): Minutes.Load => {
      let [queued, running] = [0, 0]
      for (const one of all.values()) {
        queued += one.queued
        running += one.running
      }
      return { queued, running }
    })

    const tell = RateLimitedLog.make()
    const loadOrNull = Effect.catchCause(load, (cause) =>
      Effect.as(tell(Effect.logWarning("The length of the queue cannot be read", cause)), null)
    )

    const look = Effect.gen(function* () {
      const found = yield* loadOrNull
      const now = yield* Clock.currentTimeMillis
      const counts = tally.take()
      minutes = Minutes.noted(minutes, counts, found, now)
      looks = [...looks, counts].slice(-recentLooks)
    })

    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(interval)))
    yield* reports.contribute(part, () => ({
      minutes,
      recent: { ...looks.reduce(RequestTally.add, RequestTally.none) }
    }))
  })
)

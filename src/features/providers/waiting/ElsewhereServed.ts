/** Models whose jobs workers of other nodes take. Only the queue, which all nodes share, shows this. */
import { Effect } from "effect"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"

/** A job due for longer was left by the workers of all nodes, unless all are busy, ms. */
const takenWithinMs = 10_000

/** With more runs than this under way, one of them may be of any model. */
const mostClaims = 10_000

export const make = Effect.gen(function* () {
  const dueWork = yield* DueWork
  const nodes = yield* Nodes
  const steady = yield* SteadyTime

  /** Whether another node may serve a model without workers here. */
  return Effect.gen(function* () {
    if (nodes.live().length === 1) return () => false
    const claims = yield* dueWork.claims({ after: null, limit: mostClaims })
    const claimed = new Set<string>(claims.map(({ model }) => model))
    const left = new Set<string>(yield* dueWork.dueModels((yield* steady.now) - takenWithinMs))
    return (endpoint: string) => claims.length === mostClaims || claimed.has(endpoint) || !left.has(endpoint)
  })
})

/** Several nodes over one log, and their attempts to append. */
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"
import { Runs } from "#src/features/dispatch/Runs.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"

export const wide = testModel("test/wide", { concurrency: 90, timeoutSeconds: 100_000 })
export const narrow = testModel("test/narrow", { concurrency: 5, timeoutSeconds: 100_000 })
export const pair = testModel("test/pair", { concurrency: 2, timeoutSeconds: 100_000 })
const models = [wide, narrow, pair]

const names = ["a", "b", "c"] as const

export const start = (name: string, options: TestNode.NodeOptions = {}) =>
  TestNode.start({ models, ...options, name })

export const startAll = Effect.map(Effect.all([start("a"), start("b"), start("c")]), ([a, b, c]) => ({
  a,
  b,
  c
}))

/** The nodes' attempts to append an event of the type from now on, including lost races. */
export const counted = Effect.fnUntraced(function* (nodes: ReadonlyArray<TestNode.TestNode>, type: string) {
  const tries: Array<string> = []
  for (const node of nodes) {
    yield* node.on(
      Effect.map(AppendFaults, (faults) =>
        faults.decide(({ events, stream }) => {
          if (events.some((event) => event.type === type)) tries.push(stream)
          return "stored"
        })
      )
    )
  }
  return (id = "") => tries.filter((stream) => stream.endsWith(id)).length
})

/** The current runs of the model at each node. */
export const runsOf = (nodes: ReadonlyArray<TestNode.TestNode>, model: typeof wide) =>
  Effect.forEach(nodes, (node) => node.on(Effect.map(Runs, (runs) => runs.count(model.model.endpoint))))

/** A request for which the node `name` has the first turn. */
export const requestOf = Effect.fnUntraced(function* (
  name: string,
  {
    live = names,
    ...options
  }: Parameters<typeof Facts.submission>[0] & {
    readonly live?: ReadonlyArray<string>
  } = {}
) {
  while (true) {
    const id: RequestId = yield* Facts.submit(options)
    if (Rendezvous.first(id, live) === name) return id
    yield* Facts.cancel(id, options.model)
  }
})

/** The nodes that claimed the request, in order. */
export const claimants = (all: ReadonlyArray<Event>) =>
  Facts.ofType(all, "DispatchStarted").map(({ node }) => node)

/** Waits until nothing more happens at this time. */
export const rest = Effect.replicateEffect(Effect.yieldNow, 2_000, { discard: true })

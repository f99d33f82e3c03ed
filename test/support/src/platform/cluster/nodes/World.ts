/** Three nodes on a cluster of three NATS servers, with clients and direct access to the log. Made once per file. */
import { assert } from "@effect/vitest"
import { Cause, Context, Effect, Layer, References, Result, type Scope } from "effect"
import * as JetStreamEventReader from "#streams/nats/JetStreamEventReader.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import * as Nodes from "#test/support/Nodes.ts"
import * as NatsCluster from "#test/support/servers/NatsCluster.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import * as Books from "./Books.ts"
import * as Invariants from "./Invariants.ts"
import * as Load from "./Load.ts"
import * as LogFacts from "./LogFacts.ts"

export const prefix = "several"

/** Only the sweep finds half-finished files. Webhooks may go to receivers on this machine. */
const env = { SWEEP_INTERVAL: "10 seconds", ...WebhookReceiver.settings }

const linesOfOutput = 60

export class World extends Context.Service<
  World,
  {
    readonly cluster: NatsCluster.Cluster
    readonly nodes: readonly [Nodes.Node, Nodes.Node, Nodes.Node]
    readonly facts: LogFacts.LogFacts
    /** For all loads of this world so far. */
    readonly acknowledged: ReadonlyArray<Load.Acknowledged>
    readonly load: Effect.Effect<Load.Load, never, Scope.Scope>
  }
>()("inferlog/test/several-nodes/World") {
  static readonly layer = Layer.effect(
    World,
    Effect.gen(function* () {
      const cluster = yield* NatsCluster.make()
      const { settings, start } = yield* Nodes.make(cluster, { prefix, env })
      const nodes = [yield* start(1), yield* start(2), yield* start(3)] as const
      const reader = yield* Layer.build(
        JetStreamEventReader.layer(Result.getOrThrow(NatsOptions.parse(settings.EVENT_STORE))).pipe(
          // Broken connections are expected in these tests.
          Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
        )
      )
      const facts = yield* Effect.provide(LogFacts.make, reader)

      let seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
      yield* Effect.sync(() => process.stdout.write(`several nodes: SEED=${seed}\n`))
      const loads: Array<Load.Load> = []
      return World.of({
        cluster,
        nodes,
        facts,
        get acknowledged() {
          return loads.flatMap(({ acknowledged }) => acknowledged)
        },
        load: Effect.gen(function* () {
          const load = yield* Load.start(nodes, seed)
          loads.push(load)
          seed += 1_000
          return load
        })
      })
    })
  )
}

const print = (cause: Cause.Cause<unknown>) =>
  Effect.map(World, ({ acknowledged, cluster, facts, nodes }) => {
    const open = [...facts.requests()].filter(([, events]) => !LogFacts.isOver(events))
    const told = open.slice(0, 20).map(([id, events]) => `${id}: ${events.map(LogFacts.told).join(", ")}`)
    const state = `${acknowledged.length} acknowledged, ${facts.requests().size} on the log, ${open.length} open`
    const tellers = [
      ...nodes.map((node) => ({ name: `node ${node.number}, ${node.name()}`, output: node.output })),
      ...cluster.servers
    ]
    const outputs = tellers.map(
      ({ name, output }) => `--- ${name}\n${output().split("\n").slice(-linesOfOutput).join("\n")}`
    )
    process.stdout.write([Cause.pretty(cause), state, ...told, ...outputs, ""].join("\n"))
  })

/** Expects that every acknowledged request has one allowed end, for all nodes. */
const check = Effect.fnUntraced(function* (load: Load.Load) {
  const { acknowledged, facts, nodes } = yield* World
  const ids = acknowledged.map(({ id }) => id)
  const requests = yield* facts.quiet(ids)
  // No client gives up: each key has led to one request, which its client knows.
  assert.sameMembers([...requests.keys()], ids)
  Invariants.checkLog(requests, acknowledged)
  yield* Invariants.checkAnswers(nodes, load.acknowledged)
})

const enough = 10

/** Runs an action while clients submit, waits until they get answers again, and checks the invariants. */
export const underLoad = <E>(happen: (load: Load.Load) => Effect.Effect<unknown, E, World | Scope.Scope>) =>
  Effect.gen(function* () {
    const load = yield* (yield* World).load
    yield* load.more(enough)
    yield* happen(load)
    yield* load.more(enough)
    yield* load.stop
    yield* check(load)
  }).pipe(explained)

/** On failure, prints the output of the processes. */
export const explained = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.onError(effect, print)

/** For the commands: the books are right on every node, the log is intact, and all report the same balance. */
export const checkBooks = Effect.gen(function* () {
  const { acknowledged, facts, nodes } = yield* World
  yield* facts.quiet([])
  const requests = yield* facts.recorded
  Invariants.checkLog(requests, acknowledged)
  const spent = acknowledged.reduce((sum, { id, work }) => {
    const isCompleted = requests.get(id)?.some(({ type }) => type === "RequestCompleted") === true
    return isCompleted ? sum + work.cost : sum
  }, 0n)
  const left = Invariants.nanoUsd("1000000") - spent
  yield* Effect.forEach(nodes, (node) => Books.check(node, { balance: left }))
  yield* Books.verify(nodes[0])
}).pipe(explained)

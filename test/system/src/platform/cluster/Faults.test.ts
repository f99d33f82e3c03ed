/**
 * Three nodes and three NATS servers under load, while some are killed, paused or cut off: every acknowledged request
 * ends once and is charged once, and the others continue (security, "Invariants after every crash").
 * @first It takes long, so at the end it would run alone.
 * @cost Three nodes on three NATS servers under load, with every kind of fault that nodes survive.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { names } from "#streams/nats/NatsOptions.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import type { Node } from "#test/support/Nodes.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as StreamLeader from "#test/support/servers/StreamLeader.ts"
import type { Cut } from "#test/support/servers/TcpProxy.ts"
import * as Until from "#test/support/Until.ts"
import * as Calls from "#test/support/src/platform/cluster/nodes/Calls.ts"
import type { Load } from "#test/support/src/platform/cluster/nodes/Load.ts"
import * as LogFacts from "#test/support/src/platform/cluster/nodes/LogFacts.ts"
import * as Works from "#test/support/src/platform/cluster/nodes/Works.ts"
import { checkBooks, prefix, underLoad, World } from "#test/support/src/platform/cluster/nodes/World.ts"

/** Long enough to be running when something happens to its node, tenths of a second. */
const long = 20

/** The time in which a node must refuse a submit that it cannot store, ms: it waits for an election. */
const refusalMs = 20_000

/** The same once it knows that it has no connection. */
const quickRefusalMs = 4_000

/** The time of an answer that needs no log, ms. */
const promptMs = 2_000

/** Longer than its waits usually add up to on a busy machine, so that the wait that takes too long reports itself. */
const scenario = { timeout: 180_000 }

/** Submits long runs until the node has begun one, and returns its request. */
const busy = (load: Load, node: Node) =>
  Effect.gen(function* () {
    const { facts } = yield* World
    const begun = Effect.flatMap(load.submit(Works.slow(long)), (id) =>
      facts.until(`the start of ${id}`, (requests) => {
        const events = requests.get(id) ?? []
        return LogFacts.isRunning(events) ? { id, node: LogFacts.claimant(events) } : null
      })
    )
    const { id } = yield* Effect.repeat(begun, { until: (begun) => begun.node === node.name() })
    return id
  })

/** Waits until another node has run it again to its end. */
const otherRuns = (id: string, name: string) =>
  Effect.gen(function* () {
    const { facts } = yield* World
    const ended = yield* facts.until("the end of the run at another node", (requests) => {
      const events = requests.get(id) ?? []
      return LogFacts.isOver(events) ? events : null
    })
    assert.notStrictEqual(LogFacts.claimant(ended), name)
  })

const probe = Works.slow(0)

/** Submits to a node that cannot store it: expects a refusal with a retry time. */
const refuses = (node: Node, key: string, withinMs: number) =>
  Effect.gen(function* () {
    const [path, options] = Calls.submission(probe, key)
    const answer = yield* Effect.promise(() => Calls.call(node, path, { ...options, patienceMs: withinMs }))
    assert.strictEqual(answer.status, 503)
    assert.isTrue(answer.headers.has("retry-after"))
  })

/** It answers from memory without the log. */
const tells = (node: Node, id: string) =>
  Effect.gen(function* () {
    const path = `/${probe.endpoint}/requests/${id}/status`
    const answer = yield* Effect.promise(() => Calls.call(node, path, { patienceMs: promptMs }))
    assert.strictEqual(answer.status, 200)
  })

/** It accepts requests again by itself. */
const takes = (node: Node, key: string) => {
  const [path, options] = Calls.submission(probe, key)
  return Until.answers(async () => {
    const { status } = await Calls.call(node, path, options)
    if (status !== 200) throw new Error(`it answers ${status}`)
  }, Until.processes)
}

/** The NATS server that leads the log. */
const leader = Effect.flatMap(World, ({ cluster }) =>
  StreamLeader.of(cluster, names({ prefix }).events.stream)
)

const showsBalance = ({ settings }: Node) =>
  Effect.map(Inferlog.run(["balance", "show"], settings), ({ code, stderr }) =>
    assert.strictEqual(code, 0, stderr)
  )

const cutOff = (how: Cut, number: 0 | 1 | 2) =>
  underLoad(
    Effect.fnUntraced(function* (load) {
      const { facts, nodes } = yield* World
      const node = nodes[number]
      const name = node.name()
      const known = yield* load.submit(probe)
      yield* Effect.promise(() => Calls.call(node, `/requests/${known}`))
      const id = yield* busy(load, node)
      yield* node.cut(how)

      yield* refuses(node, `cut-${how}`, refusalMs)
      yield* tells(node, known)
      // The other nodes hear nothing from it for eight seconds; then it counts as dead.
      yield* otherRuns(id, name)
      yield* refuses(node, `cut-${how}`, quickRefusalMs)
      yield* tells(node, known)

      yield* node.heal
      yield* takes(node, `cut-${how}`)
      yield* load.submit(probe, `cut-${how}`)
      assert.strictEqual(node.name(), name)
      yield* facts.until(
        "what it had to say too late",
        (requests) => requests.get(id)?.find(({ type }) => type === "LateOutcomeIgnored") ?? null
      )
    })
  )

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("Several nodes"), () => {
  layer(World.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect(
      "repeat the runs of a killed node, and accept it as a new one",
      () =>
        underLoad(
          Effect.fnUntraced(function* (load) {
            const { nodes } = yield* World
            const [node] = nodes
            const name = node.name()
            const id = yield* busy(load, node)
            yield* node.kill
            yield* otherRuns(id, name)
            yield* node.restart
            assert.notStrictEqual(node.name(), name)
          })
        ),
      scenario
    )

    it.effect(
      "continue when the leading NATS server is killed, and when it returns",
      () =>
        underLoad(
          Effect.fnUntraced(function* (load) {
            const { cluster } = yield* World
            const led = yield* leader
            yield* led.kill
            yield* load.more(10)
            assert.notStrictEqual((yield* leader).name, led.name)
            yield* led.restart
            yield* cluster.ready
          })
        ),
      scenario
    )

    it.effect(
      "continue without a node that hears nothing from the NATS servers",
      () => cutOff("blackhole", 1),
      scenario
    )

    it.effect(
      "continue without a node that cannot connect to the NATS servers",
      () => cutOff("refuse", 2),
      scenario
    )

    it.effect(
      "repeat the runs of a paused node, which resumes to find them done",
      () =>
        underLoad(
          Effect.fnUntraced(function* (load) {
            const { nodes } = yield* World
            const [, node] = nodes
            const id = yield* busy(load, node)
            // Waits until the others count it as dead, after eight seconds, and have taken over its work.
            yield* node.pause
            yield* otherRuns(id, node.name())
            yield* node.resume
            yield* takes(node, "held")
            yield* load.submit(probe, "held")
          })
        ),
      scenario
    )

    it.effect(
      "continue when the leading NATS server is paused, and when it resumes",
      () =>
        underLoad(
          Effect.fnUntraced(function* (load) {
            const { cluster } = yield* World
            const led = yield* leader
            yield* led.pause
            yield* load.more(10)
            yield* led.resume
            yield* cluster.ready
          })
        ),
      scenario
    )

    it.effect(
      "reject submits and answer other calls while no NATS server runs, and recover afterwards",
      () =>
        underLoad(
          Effect.fnUntraced(function* (load) {
            const { cluster, nodes } = yield* World
            const known = yield* load.submit(probe)
            yield* Effect.forEach(nodes, (node) =>
              Effect.promise(() => Calls.call(node, `/requests/${known}`))
            )
            const before = nodes.map((node) => node.name())
            yield* Effect.forEach(cluster.servers, ({ kill }) => kill, { concurrency: 3 })
            // Longer than one connection lives: further calls are still refused in time.
            for (const limitMs of [refusalMs, quickRefusalMs, quickRefusalMs]) {
              yield* Effect.forEach(nodes, (node) => refuses(node, `down-${node.number}`, limitMs), {
                concurrency: 3
              })
              yield* Effect.forEach(nodes, (node) => tells(node, known))
            }
            yield* Effect.forEach(nodes, showsBalance)
            yield* Effect.forEach(cluster.servers, ({ restart }) => restart, { concurrency: 3 })
            yield* cluster.ready
            yield* Effect.forEach(nodes, (node) => takes(node, `down-${node.number}`))
            yield* Effect.forEach(nodes, (node) => load.submit(probe, `down-${node.number}`))
            assert.deepStrictEqual(
              nodes.map((node) => node.name()),
              before
            )
          })
        ),
      scenario
    )

    it.effect("have correct, equal books and a valid log after all faults", () => checkBooks, scenario)
  })
})

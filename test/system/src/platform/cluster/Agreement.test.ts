/**
 * Concurrent equal calls at several nodes: the nodes agree, and the overdraft of an account is bounded.
 * @cost Three nodes as processes, and hundreds of calls at once, since fewer seldom collide.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Array, Effect } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as EventClient from "#test/support/EventClient.ts"
import * as Nodes from "#test/support/Nodes.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as Until from "#test/support/Until.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Books from "#test/support/src/platform/cluster/nodes/Books.ts"
import * as Calls from "#test/support/src/platform/cluster/nodes/Calls.ts"
import * as Invariants from "#test/support/src/platform/cluster/nodes/Invariants.ts"
import * as LogFacts from "#test/support/src/platform/cluster/nodes/LogFacts.ts"
import * as Works from "#test/support/src/platform/cluster/nodes/Works.ts"
import { explained, World } from "#test/support/src/platform/cluster/nodes/World.ts"

/** The number of concurrent submits, and how many of them the account can pay for. `NODES_SUBMITS=1000` is the long form. */
const submits = Number(process.env["NODES_SUBMITS"] ?? 300)
const affordable = Math.floor(submits / 10)
const price = 1_000_000n

const twins = Math.floor(submits / 5)

const scenario = { timeout: 60_000 }

const isReplay = ({ headers }: Calls.Answer) => headers.get("idempotency-replayed") === "true"

const startFirst = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const dataDirectory = yield* TempDirectory.make
  const port = yield* Effect.promise(ServerProcess.freePort)
  const options = { dataDirectory, port, env: { ...env, BOOTSTRAP_API_KEY: "" } }
  return yield* Effect.acquireRelease(
    Effect.promise(() => ServerProcess.start(options)),
    ({ kill }) => Effect.promise(() => kill("SIGKILL"))
  )
})

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("Several nodes at once"), () => {
  layer(World.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect(
      "create one request for two submits under one key, with equal answers",
      () =>
        Effect.gen(function* () {
          const { facts, nodes } = yield* World
          const work = Works.slow(1)
          const before = yield* facts.quiet([])
          const submitBoth = (n: number) =>
            Effect.promise(() =>
              Promise.all(
                [nodes[n % 3], nodes[(n + 1) % 3]].map((node = nodes[0]) =>
                  Calls.call(node, ...Calls.submission(work, `twin-${n}`))
                )
              )
            )
          const answers = yield* Effect.forEach(Array.range(1, twins), submitBoth, { concurrency: 20 })
          const ids = answers.map((both) => {
            const [one, other] = both
            assert.deepStrictEqual(
              both.map(({ status }) => status),
              [200, 200]
            )
            assert.deepStrictEqual(one?.body, other?.body)
            assert.strictEqual(both.filter(isReplay).length, 1)
            return String(one?.body["request_id"])
          })
          const requests = yield* facts.quiet(ids)
          assert.sameMembers(
            [...requests.keys()].filter((id) => !before.has(id)),
            ids
          )
          const acknowledged = ids.map((id) => ({ id, work }))
          Invariants.checkLog(requests, acknowledged)
          yield* Invariants.checkAnswers(nodes, acknowledged)
          const balance = Invariants.nanoUsd("1000000") - BigInt(twins) * work.cost
          yield* Effect.forEach(nodes, (node) => Books.check(node, { balance }))
        }).pipe(explained),
      scenario
    )

    it.effect(
      "show an output while another node makes it",
      () =>
        Effect.gen(function* () {
          const { nodes } = yield* World
          const said = { method: "POST", body: { count: 20, delayMs: 100 } } as const
          const { body } = yield* Effect.promise(() => Calls.call(nodes[0], "/sandbox/stream", said))
          const path = `/sandbox/stream/requests/${String(body["request_id"])}/output/stream`
          const clients = yield* Effect.forEach(nodes, ({ url }) =>
            EventClient.open({ port: Number(new URL(url).port), path, headers: ServerProcess.authorization })
          )
          // All of them, before any of them has seen the end.
          yield* Effect.forEach(clients, ({ until }) => until(({ events }) => events().length > 0))
          for (const client of clients) assert.isBelow(client.events().length, 20)
          yield* Effect.forEach(clients, ({ closed }) => closed)
          for (const client of clients) {
            const names = client.events().map(({ event }) => event)
            assert.deepStrictEqual(names, [...Array.replicate("chunk", 20), "done"])
            assert.deepStrictEqual(client.events(), clients[0]?.events())
          }
        }).pipe(explained),
      scenario
    )

    it.effect(
      "open one account when they start first on an empty log, under a key that one of them prints",
      () =>
        Effect.gen(function* () {
          const { cluster } = yield* World
          const { settings } = yield* Nodes.make(cluster, { prefix: "first" })
          const servers = yield* Effect.all([startFirst(settings), startFirst(settings)], {
            concurrency: "unbounded"
          })
          const events = yield* LogFacts.eventsAt(settings.EVENT_STORE)
          assert.strictEqual(events.filter(({ type }) => type === "AccountOpened").length, 1)
          assert.strictEqual(events.filter(({ type }) => type === "BalanceToppedUp").length, 1)
          const printed = servers.flatMap(
            ({ output }) => /Authorization: (Key \S+)'/.exec(output())?.[1] ?? []
          )
          const [authorization = ""] = printed
          assert.strictEqual(printed.length, 1)
          for (const server of servers) {
            const options = { method: "POST", headers: { authorization }, body: { value: 1 } } as const
            const { status } = yield* Effect.promise(() => Calls.call(server, "/sandbox/echo", options))
            assert.strictEqual(status, 200)
          }
        }).pipe(explained),
      scenario
    )

    it.effect(
      "overdraw an account together only by what they accept before they see each other's requests",
      () =>
        Effect.gen(function* () {
          const { facts, nodes } = yield* World
          const balance = price * BigInt(affordable)
          const { accountId: account, key } = yield* Inferlog.json(
            Inferlog.Opened,
            ["accounts", "create", "--name", "small", "--balance", String(affordable / 1_000)],
            nodes[0].settings
          )
          const headers = { authorization: `Key ${key}` }
          const submit = (body: object, n: number) =>
            Calls.call(nodes[n % 3] ?? nodes[0], "/sandbox/echo", {
              method: "POST",
              headers,
              body,
              patienceMs: 30_000
            })
          // Invalid input costs nothing, and is refused as invalid once the key is known.
          const knows = async (_: Nodes.Node, n: number) =>
            assert.strictEqual((await submit({}, n)).status, 400)
          yield* Effect.forEach(nodes, (node, n) => Until.answers(() => knows(node, n), Until.processes))

          const answers = yield* Effect.promise(() =>
            Promise.all(Array.range(1, submits).map((n) => submit({ value: n }, n)))
          )
          const ids = answers.flatMap(({ body, status }) =>
            status === 200 ? [String(body["request_id"])] : []
          )
          assert.strictEqual(answers.filter(({ status }) => status === 402).length, submits - ids.length)
          const overdrawn = ids.length - affordable
          yield* Effect.sync(() =>
            process.stdout.write(`overdraft: ${overdrawn} requests of ${submits} at once\n`)
          )
          assert.isAtLeast(overdrawn, 0)
          // Each node on its own is strict.
          assert.isAtMost(ids.length, nodes.length * affordable)

          yield* facts.quiet(ids)
          const late = yield* Effect.forEach(nodes, (_, n) =>
            Effect.promise(() => submit({ value: "late" }, n))
          )
          assert.deepStrictEqual(
            late.map(({ status }) => status),
            nodes.map(() => 402)
          )
          const left = balance - price * BigInt(ids.length)
          for (const node of nodes) {
            const audit = yield* Books.check(node, { account, balance: left })
            assert.strictEqual(/Warning: \S+ went up to/.test(audit), overdrawn > 0)
          }
          yield* Books.verify(nodes[0])
        }).pipe(explained),
      scenario
    )
  })
})

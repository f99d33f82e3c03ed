/** The start of a node when servers are missing, unusable or changed. */
import * as fs from "node:fs"
import * as path from "node:path"
import { DiscardPolicy, jetstreamManager, type StreamConfig, StorageType } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Scope } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import { LogFailure } from "#streams/LogFailure.ts"
import * as LogHead from "#streams/LogHead.ts"
import * as JetStreamEventStore from "#streams/nats/JetStreamEventStore.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import * as StreamName from "#streams/StreamName.ts"
import { many } from "#test/support/EventFixtures.ts"
import { freePort } from "#test/support/ServerProcess.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsConnection from "#test/support/servers/NatsConnection.ts"
import * as NatsProcess from "#test/support/servers/NatsProcess.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as NatsLog from "#test/support/streams/nats/NatsLog.ts"
import * as RacingWriters from "#test/support/streams/nats/RacingWriters.ts"

const scope = Scope.makeUnsafe()
let url = ""

const append = (node: Context.Context<NatsLog.Log>, prefix: string, count = 2) =>
  Context.get(node, EventStore).append({
    stream: StreamName.make("Thing", "a"),
    expected: ExpectedVersion.Any,
    events: many(prefix, count)
  })

/** A server with its own configuration and store. */
const ownServer = Effect.fnUntraced(function* (
  configuration: string,
  login: { readonly user?: string; readonly pass?: string; readonly token?: string } = {}
) {
  const directory = yield* TempDirectory.make
  const port = yield* Effect.promise(freePort)
  const ready = async (url: string) => (await connect({ servers: url, reconnect: false, ...login })).close()
  const server = yield* NatsProcess.make({ name: "n1", port, directory, configuration, ready })
  return { server, store: path.join(directory, "n1") }
})

const failure = (options: NatsOptions.NatsOptions) =>
  Effect.map(Effect.flip(NatsLog.openNode(options)), (error) => error.message)

describe.skipIf(NatsBinary.isMissing).concurrent(NatsBinary.named("The start of a node"), () => {
  beforeAll(async () => {
    url = (await Effect.runPromise(Scope.provide(NatsServer.make({ syncInterval: "2m" }), scope))).url
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it.live.each([
    ["max_age", { max_age: 1_000_000_000_000 }],
    ["storage", { storage: StorageType.Memory }],
    ["subjects", { subjects: ["PREFIX.others.*"] }],
    ["deny_delete", { deny_delete: false }]
  ] as ReadonlyArray<readonly [string, Partial<StreamConfig>]>)(
    "rejects a stream with another %s, and reports it",
    ([field, other]) =>
      Effect.gen(function* () {
        const options = NatsLog.options(url)
        const { stream: name, subjects } = NatsOptions.names(options).events
        const others = other.subjects?.map((subject) => subject.replace("PREFIX", options.prefix))
        const config = {
          name,
          subjects: [`${subjects}.*`],
          num_replicas: 1,
          storage: StorageType.File,
          discard: DiscardPolicy.New,
          duplicate_window: 120_000_000_000,
          deny_delete: true,
          deny_purge: true,
          ...other,
          ...(others && { subjects: others })
        }
        yield* Effect.promise(() =>
          NatsConnection.briefly([url], async (connection) =>
            (await jetstreamManager(connection)).streams.add(config)
          )
        )
        assert.include(yield* failure(options), `The stream ${name} at the NATS servers has ${field} `)
      }).pipe(Effect.scoped)
  )

  it.live("rejects replicas without a cluster, without waiting", () =>
    Effect.gen(function* () {
      const began = performance.now()
      assert.match(yield* failure(NatsLog.options(url, "&replicas=3")), /replicas > 1 not supported/)
      assert.isBelow(performance.now() - began, 5_000)
    }).pipe(Effect.scoped)
  )

  it.live("creates the streams once, however many nodes start together", () =>
    Effect.gen(function* () {
      const options = NatsLog.options(url)
      const nodes = yield* Effect.all(
        [
          NatsLog.openNode(options),
          NatsLog.openNode(options),
          NatsLog.openNode(options),
          NatsLog.openNode(options)
        ],
        { concurrency: "unbounded" }
      )
      for (const [index, node] of nodes.entries()) yield* append(node, `n${index}-`)
      assert.strictEqual((yield* NatsLog.verify(nodes[0])).events, 8)
    }).pipe(Effect.scoped)
  )

  it.live("waits for servers that are started later", () =>
    Effect.gen(function* () {
      const { server } = yield* ownServer("")
      yield* server.stop
      const starting = yield* Effect.forkChild(NatsLog.openNode(NatsLog.options(server.url)))
      yield* Effect.yieldNow
      yield* server.restart
      yield* append(yield* Fiber.join(starting), "e")
    }).pipe(Effect.scoped)
  )

  it.live("uses the login of the address, and reveals no wrong one", () =>
    Effect.gen(function* () {
      const login = { user: "me", pass: "s3cr3t" }
      const users = yield* ownServer('authorization { users: [{ user: me, password: "s3cr3t" }] }', login)
      const tokens = yield* ownServer('authorization { token: "t0ken" }', { token: "t0ken" })
      const at = (server: NatsProcess.NatsProcess, login: string) =>
        NatsLog.options(server.url.replace("nats://", `nats://${login}@`))
      yield* append(yield* NatsLog.openNode(at(users.server, "me:s3cr3t")), "e")
      yield* append(yield* NatsLog.openNode(at(tokens.server, "t0ken")), "e")

      const began = performance.now()
      for (const wrong of [at(users.server, "me:wr0ng"), at(tokens.server, "wr0ng")]) {
        const message = yield* failure(wrong)
        assert.match(message, /Authorization Violation/i)
        assert.notInclude(message, "wr0ng")
      }
      assert.isBelow(performance.now() - began, 5_000)
    }).pipe(Effect.scoped)
  )

  it.live("rejects a server that accepts only small messages", () =>
    Effect.gen(function* () {
      const { server } = yield* ownServer("max_payload: 65536")
      assert.include(
        yield* failure(NatsLog.options(server.url)),
        "its max_payload is 65536, but at least 1048576 is required"
      )
    }).pipe(Effect.scoped)
  )

  it.live("continues with its previous digest, also if its newest slot was torn", () =>
    Effect.gen(function* () {
      const options = NatsLog.options(url)
      const directory = yield* TempDirectory.make
      const file = JetStreamEventStore.headFile(directory)
      for (const life of ["a", "b", "c"]) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const node = yield* NatsLog.open(options, directory)
            for (const index of [0, 1, 2]) yield* append(node, `${life}${index}`)
          })
        )
        const slots = fs.readFileSync(file, "utf8").split("\n")
        // Both have the newest sequence when it was written twice; a crash tears one of them.
        const newest = slots.findIndex((slot) => slot.startsWith(`${LogHead.read(file)?.sequence} `))
        const torn = slots.with(newest, (slots[newest] ?? "").replace(/\S+ *$/, ""))
        if (life === "b")
          fs.writeFileSync(
            file,
            torn
              .map((slot) => slot.padEnd(127))
              .join("\n")
              .trimEnd() + "\n"
          )
      }
      const node = yield* NatsLog.openNode(options)
      const verified = yield* NatsLog.verify(node)
      assert.strictEqual(verified.events, 18)
      yield* Effect.scoped(NatsLog.open(options, directory))
      assert.strictEqual(LogHead.read(file)?.digest, verified.digest)
    }).pipe(Effect.scoped)
  )

  it.live("fails if the servers have less than it has seen", () =>
    Effect.gen(function* () {
      const options = NatsLog.options(url)
      const directory = yield* TempDirectory.make
      yield* Effect.scoped(Effect.flatMap(NatsLog.open(options, directory), (node) => append(node, "e")))
      const head = LogHead.open(JetStreamEventStore.headFile(directory))
      head.write({ sequence: 7, digest: "gone" })
      head.close()
      const error = yield* Effect.flip(NatsLog.open(options, directory))
      assert.strictEqual(error._tag, "LogDiverged")
      assert.include(error.message, "ends at message 1, but this node has seen message 7")
    }).pipe(Effect.scoped)
  )

  it.live("fails on another log that is as long", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const write = (options: NatsOptions.NatsOptions, count: number) =>
        Effect.scoped(
          Effect.gen(function* () {
            const node = yield* NatsLog.open(options, directory)
            for (let index = 0; index < count; index++) yield* append(node, `e${index}`)
          })
        )
      const own = NatsLog.options(url)
      yield* write(own, 3)
      yield* write(own, 3)
      const other = NatsLog.options(url)
      const elsewhere = yield* NatsLog.openNode(other)
      for (let index = 0; index < 9; index++) yield* append(elsewhere, `o${index}`)
      const error = yield* Effect.flip(NatsLog.open(other, directory))
      assert.strictEqual(error._tag, "LogDiverged")
      assert.include(error.message, "EVENT_STORE names another log")
      yield* write(own, 0)
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["at its end", 0],
    ["past what was seen", 4]
  ] as const)(
    "ends if the servers were restored to an older state and continued: %s",
    ([, more]) =>
      Effect.gen(function* () {
        const { server, store } = yield* ownServer("")
        const options = NatsLog.options(server.url)
        const node = yield* NatsLog.openNode(options)
        yield* append(node, "kept")
        yield* server.stop
        fs.cpSync(store, `${store}.old`, { recursive: true })
        yield* server.restart
        yield* Effect.retry(append(node, "lost"), { times: 50 })
        yield* RacingWriters.followIds(node, 4)
        yield* server.stop
        fs.rmSync(store, { recursive: true })
        fs.renameSync(`${store}.old`, store)
        yield* server.restart

        const other = yield* NatsLog.openNode(options)
        for (let index = 0; index < more; index++) yield* append(other, `other${index}-`)
        const error = yield* Effect.flip(Context.get(node, LogFailure).await).pipe(
          Effect.timeout("25 seconds")
        )
        assert.include(error.message, "acknowledged events are missing")
      }).pipe(Effect.scoped),
    30_000
  )
})

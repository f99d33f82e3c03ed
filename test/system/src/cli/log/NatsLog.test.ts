/** The commands that read and copy the log, with the log at a NATS server. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema, Stream } from "effect"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as LogHead from "#streams/LogHead.ts"
import * as JetStreamEventStore from "#streams/nats/JetStreamEventStore.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import { many } from "#test/support/EventFixtures.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "#test/support/src/cli/log/FilledLog.ts"

/** 40 commits of three events, appended by a node with the directory `node`; `none` is a missing directory. */
const filled = Effect.gen(function* () {
  const { url } = yield* NatsServer.make()
  const EVENT_STORE = `${url}?sync=always`
  const parent = yield* TempDirectory.make
  const node = path.join(parent, "node")
  fs.mkdirSync(node)
  const nats = Result.getOrThrow(NatsOptions.parse(EVENT_STORE))
  const grow = (prefix: string, commits: number) =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const appended = yield* Effect.forEach(Array.from({ length: commits }).keys(), (index) =>
        store.append({
          stream: StreamName.make("Thing", String(index % 7)),
          expected: ExpectedVersion.Any,
          events: many(`${prefix}${index}.`, 3)
        })
      )
      const last = appended.at(-1)?.position ?? GlobalPosition.beginning
      // Waits until the node has followed its own appends, because log.head lacks them before.
      yield* store.changes.pipe(
        Stream.takeUntil((head) => GlobalPosition.isReached(last, head)),
        Stream.runDrain
      )
    }).pipe(Effect.provide(JetStreamEventStore.layer({ nats, directory: node }), { local: true }))
  yield* grow("a", 40)
  const blobs = { BLOB_STORE: `file://${parent}/blobs` }
  return {
    address: EVENT_STORE,
    grow,
    node,
    parent,
    settings: { ...blobs, EVENT_STORE, DATA_DIR: path.join(parent, "none") }
  }
})

const Stats = Schema.Struct({
  events: Schema.NullOr(Schema.Int),
  commits: Schema.Int,
  position: Schema.NullOr(Schema.String),
  digest: Schema.NullOr(Schema.String),
  firstEventAt: Schema.String,
  lastEventAt: Schema.String,
  bytes: Schema.Null
})

const positionsOf = ({ stdout }: Inferlog.Ended) => FilledLog.lines(stdout).map(({ position }) => position)

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("A log on a NATS server"), () => {
  it.live("is read by commands without creating a data directory", () =>
    Effect.gen(function* () {
      const { grow, parent, settings } = yield* filled
      const tail = yield* Inferlog.run(["log", "tail", "-n", "4", "--json"], settings)
      assert.deepStrictEqual(positionsOf(tail), ["39.2", "40", "40.1", "40.2"])
      const all = yield* Inferlog.run(["log", "export"], settings)
      assert.strictEqual(positionsOf(all).length, 120)
      const some = yield* Inferlog.run(["log", "export", "--after", "39.1", "--until", "40"], settings)
      assert.deepStrictEqual(positionsOf(some), ["39.2", "40"])

      const file = path.join(parent, "log.ndjson")
      const toFile = ["log", "export", "--to", file]
      yield* Inferlog.run([...toFile, "--until", "20.1"], settings)
      yield* grow("b", 1)
      yield* Inferlog.run(toFile, settings)
      const exported = yield* Inferlog.run(["log", "export"], settings)
      assert.strictEqual(fs.readFileSync(file, "utf8"), exported.stdout)
      assert.isFalse(fs.existsSync(settings.DATA_DIR))
    }).pipe(Effect.scoped)
  )

  it.live("is followed as it grows", () =>
    Effect.gen(function* () {
      const { grow, settings } = yield* filled
      const following = yield* Inferlog.follow(["log", "tail", "-f", "-n", "1", "--json"], settings)
      yield* following.until((stdout) => stdout.includes("\n"))
      yield* grow("b", 1)
      const stdout = yield* following.until((stdout) => stdout.split("\n").length > 4)
      assert.deepStrictEqual(
        FilledLog.lines(stdout).map(({ id }) => id),
        ["a39.2", "b0.0", "b0.1", "b0.2"]
      )
      assert.strictEqual((yield* following.kill("SIGTERM")).code, 0)
    }).pipe(Effect.scoped)
  )

  it.live("is verified; the statistics count events only with --types", () =>
    Effect.gen(function* () {
      const { node, settings } = yield* filled
      const verified = yield* Inferlog.json(Inferlog.Verified, ["log", "verify"], settings)
      assert.deepInclude(verified, { events: 120, position: "40.2" })
      const expect = ["--expect", `40.2:${verified.digest}`]
      assert.strictEqual((yield* Inferlog.run(["log", "verify", ...expect], settings)).stderr, "")

      const unknown = yield* Inferlog.json(Stats, ["log", "stats"], settings)
      assert.deepInclude(unknown, { events: null, commits: 40, position: null, digest: null })
      const counted = yield* Inferlog.json(Stats, ["log", "stats", "--types"], settings)
      assert.deepInclude(counted, { events: 120, position: "40.2", digest: verified.digest })
      const known = yield* Inferlog.json(Stats, ["log", "stats"], { ...settings, DATA_DIR: node })
      assert.deepInclude(known, { events: null, position: "40.2", digest: verified.digest })
    }).pipe(Effect.scoped)
  )

  it.live("is verified from a signed checkpoint on", () =>
    Effect.gen(function* () {
      const { grow, node, settings } = yield* filled
      const ofNode = { ...settings, DATA_DIR: node, MASTER_KEY: "0b".repeat(32) }
      yield* Inferlog.json(Inferlog.Verified, ["log", "verify"], ofNode)
      assert.deepStrictEqual(fs.readdirSync(path.join(node, "checkpoints")), ["verify-40.2.checkpoint"])
      yield* grow("b", 1)
      const args = ["log", "verify", "--incremental"]
      const rest = yield* Inferlog.json(Inferlog.Verified, args, ofNode)
      const whole = yield* Inferlog.json(Inferlog.Verified, ["log", "verify"], settings)
      assert.deepInclude(rest, { events: 3, position: "41.2", digest: whole.digest })
    }).pipe(Effect.scoped)
  )

  it.live("is not compared with the head of an SQLite log in the data directory", () =>
    Effect.gen(function* () {
      const { parent, settings } = yield* filled
      const directory = path.join(parent, "of-its-own")
      fs.mkdirSync(directory)
      yield* FilledLog.grow(directory, "s", 3)
      const beside = { ...settings, DATA_DIR: directory }
      const verified = yield* Inferlog.json(Inferlog.Verified, ["log", "verify"], beside)
      assert.deepInclude(verified, { events: 120, position: "40.2" })
      const stats = yield* Inferlog.json(Stats, ["log", "stats"], beside)
      assert.deepInclude(stats, { commits: 40, position: null, digest: null })
    }).pipe(Effect.scoped)
  )

  it.live("is verified against the position a node has recorded", () =>
    Effect.gen(function* () {
      const { node, settings } = yield* filled
      const ofNode = { ...settings, DATA_DIR: node }
      const whole = yield* Inferlog.run(["log", "verify"], ofNode)
      assert.deepInclude(whole, { code: 0, stderr: "" })
      const broken = (sequence: number) =>
        Effect.gen(function* () {
          const filename = JetStreamEventStore.headFile(node)
          fs.rmSync(filename)
          const head = LogHead.open(filename)
          head.write({ sequence, digest: "other" })
          head.close()
          return yield* Inferlog.run(["log", "verify"], ofNode)
        })
      const other = yield* broken(40)
      assert.strictEqual(
        other.stderr,
        "inferlog: The log is broken at position 40.2: the digest does not match log.head\n"
      )
      const cut = yield* broken(41)
      assert.strictEqual(
        cut.stderr,
        "inferlog: The log is broken at position 40.2: the log ends here, but log.head names an event at position 41\n"
      )
      assert.deepStrictEqual([other.code, cut.code], [1, 1])
    }).pipe(Effect.scoped)
  )

  it.live("is copied from SQLite and back, with the same digest", () =>
    Effect.gen(function* () {
      const { address, parent, settings } = yield* filled
      const DATA_DIR = path.join(parent, "data")
      const there = yield* Inferlog.run(["log", "copy", "--from", address, "--to", "sqlite"], {
        ...settings,
        DATA_DIR
      })
      assert.deepInclude(there, { code: 0, stderr: "" })
      const verified = yield* Inferlog.json(Inferlog.Verified, ["log", "verify"], { DATA_DIR })
      assert.deepInclude(verified, { events: 120, position: "120" })

      yield* FilledLog.grow(DATA_DIR, "more", 5)
      const other = `${address}&prefix=other`
      const back = yield* Inferlog.run(["log", "copy", "--from", "sqlite", "--to", other, "--json"], {
        ...settings,
        DATA_DIR
      })
      assert.include(back.stdout, '"events":125,"copied":125,')
      const again = yield* Inferlog.run(["log", "copy", "--from", other, "--to", "sqlite", "--json"], {
        ...settings,
        DATA_DIR
      })
      assert.include(again.stdout, '"events":125,"copied":0,')
    }).pipe(Effect.scoped)
  )
})

/** Backups of logs at a NATS server and in SQLite, restored to data directories and to servers. */
import * as fs from "node:fs"
import * as path from "node:path"
import { jetstream, jetstreamManager } from "@nats-io/jetstream"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FreePort from "#bench/harness/FreePort.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as NatsConnection from "#test/support/servers/NatsConnection.ts"
import * as NatsServer from "#test/support/servers/NatsServer.ts"
import * as ArchivedLog from "#test/support/src/features/archive/ArchivedLog.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "#test/support/src/cli/log/FilledLog.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Until from "#test/support/Until.ts"

const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, settings: Inferlog.Settings) {
  const { code, stderr, stdout } = yield* Inferlog.run([...args, "--json"], settings)
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>
})

const refused = Effect.fnUntraced(function* (args: ReadonlyArray<string>, settings: Inferlog.Settings) {
  const { code, stderr } = yield* Inferlog.run(args, settings)
  assert.strictEqual(code, 1)
  return stderr
})

const exported = (settings: Inferlog.Settings) =>
  Effect.map(Inferlog.run(["log", "export"], settings), ({ code, stderr, stdout }) => {
    assert.strictEqual(code, 0, stderr)
    return stdout
  })

/** Messages in the log at the servers. */
const counter = (url: string) =>
  Effect.map(NatsConnection.scoped([url]), (connection) =>
    Effect.promise(async () => {
      const { streams } = await jetstreamManager(connection)
      return streams.info("INFERLOG_EVENTS").then(
        ({ state }) => state.last_seq,
        () => 0
      )
    })
  )

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("backup and restore with NATS"), () => {
  it.live("adds what is new, and restores to SQLite, or to servers with the same positions", () =>
    Effect.gen(function* () {
      const { url } = yield* NatsServer.make({ syncInterval: "2m" })
      const parent = yield* TempDirectory.make
      const origin = path.join(parent, "origin")
      fs.mkdirSync(origin)
      const target = path.join(parent, "target")
      const EVENT_STORE = `${url}?sync=always`
      const BLOB_STORE = `file://${parent}/blobs`
      const settings = { BLOB_STORE, DATA_DIR: path.join(parent, "node"), EVENT_STORE }
      const grow = Effect.fnUntraced(function* (prefix: string, count: number) {
        yield* FilledLog.grow(origin, prefix, count)
        return yield* run(["log", "copy", "--from", `sqlite:${origin}`, "--to", EVENT_STORE], {})
      })
      yield* grow("a", 300)
      const base = yield* run(["backup", target, "--without-keys"], settings)
      assert.strictEqual(base["events"], 300)
      // A gap in the positions, a commit of several events, and payloads, one of which is erased.
      yield* Effect.promise(() =>
        NatsConnection.briefly([url], (connection) =>
          jetstream(connection).publish("inferlog.events.Thing-foreign", "no append")
        )
      )
      yield* DataDirectory.own(
        origin,
        Effect.gen(function* () {
          for (const id of ["c1", "c2", "c3"]) yield* DataDirectory.append("3", id)
          yield* DataDirectory.appendPayload("kept", "k", { text: "kept" })
          yield* DataDirectory.appendPayload("erased", "e", { text: "erased" })
          yield* DataDirectory.erase("erased")
        })
      )
      const { digest } = yield* grow("b", 50)
      const increment = yield* run(["backup", target, "--without-keys"], settings)
      assert.strictEqual(increment["events"], 56)
      const DATA_DIR = path.join(parent, "restored")
      const restored = yield* run(["restore", target, "--without-keys"], { DATA_DIR })
      assert.deepStrictEqual([restored["events"], restored["digest"]], [356, digest])
      yield* run(["log", "verify"], { DATA_DIR })

      const elsewhere = {
        BLOB_STORE: `file://${parent}/elsewhere`,
        DATA_DIR: path.join(parent, "other"),
        EVENT_STORE: `${EVENT_STORE}&prefix=other`
      }
      const copied = yield* run(["restore", target, "--without-keys"], elsewhere)
      assert.deepInclude(copied, { events: 356, digest, payloads: 1, position: increment["position"] })
      const events = yield* exported(settings)
      assert.match(events, /"position":"302.2"/)
      assert.strictEqual(yield* exported(elsewhere), events)
      // The restored log continues the backup.
      const next = yield* run(["backup", target, "--without-keys"], elsewhere)
      assert.strictEqual(next["kind"], "unchanged")
      // The log is the same already: what a restore does that was interrupted at its end.
      const again = { ...elsewhere, DATA_DIR: path.join(parent, "again") }
      assert.strictEqual((yield* run(["restore", target, "--without-keys"], again))["digest"], digest)
      const earlier = { ...elsewhere, DATA_DIR: path.join(parent, "earlier") }
      assert.match(
        yield* refused(["restore", target, "--without-keys", "--until", "302.1"], earlier),
        /EVENT_STORE: the log at the NATS servers is not empty: .* OTHER_EVENTS/
      )
      const part = yield* run(["restore", target, "--without-keys", "--until", "302.1"], {
        ...earlier,
        EVENT_STORE: `${EVENT_STORE}&prefix=part`
      })
      assert.deepInclude(part, { events: 302, position: "302.1" })
    })
  )

  it.live("restores a log of SQLite to servers, refuses nodes meanwhile, and continues after kill -9", () =>
    Effect.gen(function* () {
      const { url } = yield* NatsServer.make({ syncInterval: "2m" })
      const parent = yield* TempDirectory.make
      const [data, target] = ["data", "target"].map((name) => path.join(parent, name)) as [string, string]
      fs.mkdirSync(data)
      yield* FilledLog.grow(data, "a", 3_000)
      yield* run(["backup", target, "--without-keys"], { DATA_DIR: data })
      yield* DataDirectory.own(data, DataDirectory.append("7", "last"))
      const { digest } = yield* run(["backup", target, "--without-keys"], { DATA_DIR: data })
      const settings = {
        BLOB_STORE: `file://${parent}/blobs`,
        DATA_DIR: path.join(parent, "node"),
        EVENT_STORE: `${url}?sync=always`,
        MASTER_KEY: "0".repeat(64)
      }
      const restore = ["restore", target, "--without-keys"]
      const count = yield* counter(url)
      const running = Inferlog.begin(restore, settings)
      yield* Until.until("a restored event", count, (events) => events > 0, Until.processes)
      running.kill("SIGKILL")
      yield* Effect.promise(() => running.ended)
      assert.isBelow(yield* count, 3_001)
      const PORT = String(yield* FreePort.find)
      const node = { ...settings, DATA_DIR: path.join(parent, "fresh"), PORT }
      assert.match((yield* Inferlog.spawn(["serve"], node)).stderr, /EVENT_STORE: A restore into this log/)

      const restored = yield* run(restore, settings)
      assert.deepInclude(restored, { events: 3_001, digest })
      assert.strictEqual((yield* run(["log", "verify"], settings))["digest"], digest)
      yield* FilledLog.grow(data, "b", 1)
      yield* run(["backup", target, "--without-keys"], { DATA_DIR: data })
      const another = { ...settings, DATA_DIR: path.join(parent, "another") }
      assert.match(yield* refused(restore, another), /is not empty/)

      // Archived events are events again: a log on NATS has no segments.
      const archived = path.join(parent, "archived")
      fs.mkdirSync(archived)
      yield* ArchivedLog.owned(archived, ArchivedLog.fill(40))
      const { events } = yield* run(
        ["log", "archive", "--older-than", "90d", path.join(parent, "segments")],
        {
          DATA_DIR: archived
        }
      )
      assert.strictEqual(events, 40)
      const its = path.join(parent, "its")
      yield* run(["backup", its, "--without-keys"], { DATA_DIR: archived })
      const { ok } = yield* run(["backup", its, "--verify"], {})
      assert.strictEqual(ok, true)
      const whole = yield* run(["log", "verify"], { DATA_DIR: archived })
      const onServers = yield* run(["restore", its, "--without-keys"], {
        ...settings,
        DATA_DIR: path.join(parent, "third"),
        EVENT_STORE: `${settings.EVENT_STORE}&prefix=archived`
      })
      assert.deepInclude(onServers, { events: whole["events"], digest: whole["digest"] })
    })
  )
})

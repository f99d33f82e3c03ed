/**
 * @alone It gives way to whatever runs beside it.
 * @cost Commands as processes over logs of thousands of events, killed at several places.
 */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as delay } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References, Schema } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import { Projections } from "#projections/Projections.ts"
import * as Copy from "#projections/rebuild/Copy.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import { ProjectionStatuses } from "#projections/status/StatusViews.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import { dump, settle } from "#test/support/projections/ReadSide.ts"
import * as LongLog from "#test/support/LongLog.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Until from "#test/support/Until.ts"

const Rebuilt = Schema.Struct({
  projections: Schema.Array(Schema.String),
  events: Schema.Int,
  elapsedMs: Schema.Int
})

const Verified = Schema.fromJsonString(
  Schema.Struct({
    ok: Schema.Boolean,
    events: Schema.Int,
    projections: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        position: Schema.String,
        behind: Schema.Int,
        rows: Schema.Int,
        result: Schema.String,
        stopped: Schema.NullOr(Schema.String),
        difference: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
      })
    )
  })
)
const decodeVerified = Schema.decodeUnknownSync(Verified)

const rebuild = ["projections", "rebuild"]
const verify = [...rebuild, "--verify"]
const names = allProjections.map(({ name }) => name)

/** Settings for commands on a log of `events` events, none so old that a server would erase it. */
const longLog = (requests: number) =>
  Effect.map(TempDirectory.make, (directory) => ({
    settings: { DATA_DIR: directory, LOG_LEVEL: "Warn", RETENTION: "520 weeks" },
    events: LongLog.write(directory, requests),
    base: Generations.baseIn(directory)
  }))

/** Resolves when the directory has an entry of this name. */
const appears = (directory: string, name: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const watcher = fs.watch(directory, () => check())
    const check = () => {
      if (fs.existsSync(path.join(directory, name))) resume(Effect.void)
    }
    check()
    return Effect.sync(() => watcher.close())
  })

const filesOf = (directory: string) =>
  fs
    .readdirSync(directory)
    .filter((name) => /^projections.*\.sqlite$/.test(name))
    .sort()

const list = (settings: Readonly<Record<string, string>>) =>
  Inferlog.json(ProjectionStatuses, ["projections", "list"], settings)

/** Waits until the server has applied all events. */
const untilApplied = (settings: Readonly<Record<string, string>>) =>
  Until.polled(
    "read models that are not behind",
    list(settings),
    ({ projections }) => projections.every(({ behind }) => behind === 0),
    Until.processes
  )

/** The rows in use must be those of a fresh replay of the log. */
const assertFresh = Effect.fnUntraced(function* (directory: string) {
  const filename = `${yield* TempDirectory.make}/projections.sqlite`
  const log = LogFiles.files(directory).log
  yield* Effect.forEach(names, settle, { discard: true }).pipe(
    Effect.provide(
      Projections.layerInProcess({ filename }).pipe(
        Layer.provideMerge(SqliteEventReader.layer({ filename: log })),
        Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
      )
    )
  )
  assert.deepStrictEqual(dump(Generations.current(Generations.baseIn(directory))), dump(filename))
})

/** Submits one request after the other, with short pauses, until stopped. Returns how many were accepted. */
const submitting = (url: string, key: string) => {
  let accepted = 0
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const response = await fetch(`${url}/sandbox/echo`, {
        method: "POST",
        headers: { authorization: `Key ${key}`, "content-type": "application/json", prefer: "wait=60" },
        body: '{"value":1}'
      })
      await response.arrayBuffer()
      assert.strictEqual(response.status, 200)
      accepted++
      await delay(20)
    }
  }
  const clients = Promise.all([client(), client()])
  return Effect.promise(async () => {
    isOver = true
    await clients
    return accepted
  })
}

describe("projections, without a server", () => {
  it.effect("are listed as not built, rebuilt one by one or together, and listed from the file", () =>
    Effect.gen(function* () {
      const { events, settings } = yield* longLog(500)
      const before = yield* Inferlog.run(["projections", "list"], settings)
      assert.strictEqual(before.code, 0)
      assert.include(before.stderr, "There is no ")
      assert.match(before.stdout, /^history\s+\d+\s+0\s+2,000\s.*not built$/m)

      const rebuilt = yield* Inferlog.json(Rebuilt, [...rebuild, "history", "history"], settings)
      assert.deepInclude(rebuilt, { projections: ["history"], events })
      const { bytes, file, head, projections } = yield* list(settings)
      assert.strictEqual(file, path.join(settings.DATA_DIR, "projections.1.sqlite"))
      assert.strictEqual(bytes, fs.statSync(file).size)
      assert.strictEqual(head, String(events))
      for (const status of projections) {
        assert.deepInclude(status, {
          position: head,
          behind: 0,
          lagMs: 0,
          state: "not running",
          rebuild: null
        })
      }

      const all = yield* Inferlog.run(rebuild, settings)
      const names = allProjections.map(({ name }) => name).join(", ")
      assert.match(all.stdout, new RegExp(`^Rebuilt ${names} from 2,000 events in \\d+ s\\.\n$`))
      assert.strictEqual(all.stderr, "")
      assert.deepStrictEqual(filesOf(settings.DATA_DIR), ["projections.2.sqlite"])
      yield* assertFresh(settings.DATA_DIR)
    }).pipe(Effect.scoped)
  )

  it.effect("stay unchanged when a signal interrupts a rebuild, and the next one succeeds", () =>
    Effect.gen(function* () {
      const { settings } = yield* longLog(3_000)
      const directory = settings.DATA_DIR
      yield* Inferlog.json(Rebuilt, [...rebuild, "keys"], settings)
      const before = dump(path.join(directory, "projections.1.sqlite"))

      for (const [signal, code, left] of [
        ["SIGINT", 130, []],
        ["SIGKILL", null, ["projections.rebuild.sqlite"]]
      ] as const) {
        const command = Inferlog.begin(rebuild, settings)
        yield* appears(directory, "projections.rebuild.sqlite")
        command.kill(signal)
        const ended = yield* Effect.promise(() => command.ended)
        assert.strictEqual(ended.code, code, ended.stderr)
        assert.deepStrictEqual(filesOf(directory), ["projections.1.sqlite", ...left])
        assert.deepStrictEqual(dump(path.join(directory, "projections.1.sqlite")), before)
      }

      yield* Inferlog.json(Rebuilt, rebuild, settings)
      assert.deepStrictEqual(filesOf(directory), ["projections.2.sqlite"])
      yield* assertFresh(directory)
    }).pipe(Effect.scoped)
  )

  it.effect("are rebuilt once at a time, and a list shows the progress", () =>
    Effect.gen(function* () {
      const { base, events, settings } = yield* longLog(10)
      const reader = SqliteEventReader.layer({ filename: LogFiles.files(settings.DATA_DIR).log })
      yield* Copy.open({ base, projections: allProjections, names: ["keys"] }).pipe(Effect.provide(reader))
      const { projections } = yield* list(settings)
      assert.deepStrictEqual(
        projections
          .filter(({ rebuild }) => rebuild !== null)
          .map(({ name, rebuild }) => ({ name, ...rebuild })),
        [{ name: "keys", position: GlobalPosition.beginning, behind: events }]
      )
      const { code, stderr } = yield* Inferlog.run(rebuild, settings)
      assert.strictEqual(code, 1)
      assert.match(stderr, /^inferlog: Another rebuild or verification is under way.*\n$/)
    }).pipe(Effect.scoped)
  )

  it.effect.skipIf(process.platform === "win32")(
    "stay unchanged when there is no room for a copy (skipped on Windows, which has no limit to set)",
    () =>
      Effect.gen(function* () {
        const { settings } = yield* longLog(2_000)
        const main = new URL("../../../../bin/inferlog.js", import.meta.url).pathname
        const limited = `ulimit -f 200; exec "$0" "$@"`
        const child = childProcess.spawn("sh", ["-c", limited, process.execPath, main, ...rebuild], {
          env: { PATH: process.env["PATH"], ...settings },
          stdio: ["ignore", "ignore", "pipe"]
        })
        let stderr = ""
        child.stderr.on("data", (chunk) => (stderr += String(chunk)))
        const [code] = yield* Effect.promise(() => once(child, "close"))
        assert.strictEqual(code, 1)
        assert.match(
          stderr,
          /^inferlog: The copy of the read models cannot be written \(.+\): nothing was changed\n$/
        )
        assert.deepStrictEqual(filesOf(settings.DATA_DIR), [])
      }).pipe(Effect.scoped)
  )
})

describe("projections rebuild --verify", () => {
  it.effect("reports whether the rows match, with the differences, and changes nothing", () =>
    Effect.gen(function* () {
      const { events, settings } = yield* longLog(500)
      const unbuilt = yield* Inferlog.run(verify, settings)
      assert.strictEqual(unbuilt.code, 1)
      assert.match(unbuilt.stdout, /^history .* not built$/m)
      assert.match(unbuilt.stderr, /^inferlog: This release has no rows to verify for .*history.*\n$/)

      yield* Inferlog.json(Rebuilt, rebuild, settings)
      const right = yield* Inferlog.run(verify, settings)
      assert.strictEqual(right.code, 0, right.stderr)
      assert.strictEqual(right.stderr, "")
      assert.match(right.stdout, /^history +\d+ +2000 +0 +[\d,]+ +equal$/m)
      assert.match(right.stdout, /^Compared [\d,]+ rows with those that 2,000 events produce, in \d+ s\.$/m)

      const file = path.join(settings.DATA_DIR, "projections.1.sqlite")
      using db = new DatabaseSync(file)
      db.exec("DELETE FROM history_counters WHERE model = 'sandbox/echo'")
      const before = dump(file)
      const wrong = yield* Inferlog.run([...verify, "history", "keys"], settings)
      assert.strictEqual(wrong.code, 1)
      assert.match(wrong.stdout, /^history: history_counters: first row that differs$/m)
      assert.match(wrong.stdout, /^ {2}key +\{"account_id":"acc_alice","model":"sandbox\/echo",/m)
      assert.match(wrong.stdout, /^ {2}in use +none\n {2}expected +\{.*\}$/m)
      assert.match(
        wrong.stderr,
        /^inferlog: Rows in use differ from the log: 'projections rebuild history' rebuilds them\n$/
      )

      const { code, stdout } = yield* Inferlog.run([...verify, "history", "--json"], settings)
      assert.strictEqual(code, 1)
      const { projections, ...told } = decodeVerified(stdout)
      assert.deepStrictEqual(told, { ok: false, events })
      assert.lengthOf(projections, 1)
      assert.deepInclude(projections[0], { name: "history", result: "different", behind: 0, stopped: null })
      assert.deepInclude(projections[0]?.difference, { kind: "row", table: "history_counters", stored: null })
      assert.deepStrictEqual(dump(file), before)
      assert.deepStrictEqual(filesOf(settings.DATA_DIR), ["projections.1.sqlite"])
    }).pipe(Effect.scoped)
  )

  it.effect("can be repeated after a kill, and leaves no files behind", () =>
    Effect.gen(function* () {
      const { settings } = yield* longLog(3_000)
      yield* Inferlog.json(Rebuilt, [...rebuild, "history"], settings)
      const command = Inferlog.begin(verify, settings)
      yield* appears(settings.DATA_DIR, "projections.rebuild.sqlite")
      command.kill("SIGKILL")
      yield* Effect.promise(() => command.ended)
      const { code } = yield* Inferlog.run([...verify, "history"], settings)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(filesOf(settings.DATA_DIR), ["projections.1.sqlite"])
    }).pipe(Effect.scoped)
  )
})

describe("projections, beside a server", () => {
  it.live("are rebuilt while it accepts requests, and are live before and after", () =>
    Effect.gen(function* () {
      const { events, settings } = yield* longLog(2_000)
      const opening = ["accounts", "create", "--name", "acme", "--balance", "1000"]
      const { key } = yield* Inferlog.json(Inferlog.Opened, opening, settings)
      const server = yield* Inferlog.serve(settings)
      const stop = submitting(server.url, key)
      const rebuilt = yield* Inferlog.json(Rebuilt, rebuild, settings)
      assert.isAtLeast(rebuilt.events, events)
      const { file, projections } = yield* list(settings)
      assert.strictEqual(path.basename(file), "projections.1.sqlite")
      assert.deepStrictEqual(
        projections.map(({ name, state }) => [name, state]),
        names.map((name) => [name, "live"])
      )
      const verified = yield* Inferlog.run([...verify, "--json"], settings)
      assert.isTrue(decodeVerified(verified.stdout).ok, verified.stdout)
      assert.strictEqual(verified.code, 0)
      assert.isAbove(yield* stop, 0)
      yield* untilApplied(settings)
      const ended = yield* server.kill("SIGTERM")
      assert.strictEqual(ended.code, 0)
      assert.notMatch(ended.stderr, /level=(error|warn)/i)
      yield* assertFresh(settings.DATA_DIR)
    }).pipe(Effect.scoped)
  )

  it.live("are complete when the server is killed while the copy takes over", () =>
    Effect.gen(function* () {
      const { settings } = yield* longLog(2_000)
      const killed = yield* Inferlog.serve(settings)
      const command = Inferlog.begin(rebuild, settings)
      yield* appears(settings.DATA_DIR, "projections.1.sqlite")
      yield* killed.kill("SIGKILL")
      yield* Effect.promise(() => command.ended)

      const server = yield* Inferlog.serve(settings)
      yield* untilApplied(settings)
      yield* server.kill("SIGTERM")
      yield* assertFresh(settings.DATA_DIR)
      assert.deepStrictEqual(filesOf(settings.DATA_DIR), ["projections.1.sqlite"])
    }).pipe(Effect.scoped)
  )

  it.live("of another release are built for the next start, while the server keeps using its own", () =>
    Effect.gen(function* () {
      const { settings } = yield* longLog(500)
      const old = yield* Inferlog.serve(settings)
      yield* untilApplied(settings)
      const nothing = yield* Inferlog.run([...rebuild, "--next-start"], settings)
      assert.strictEqual(nothing.stdout, "The rows in use belong to this release: nothing to build.\n")
      assert.deepStrictEqual(filesOf(settings.DATA_DIR), ["projections.sqlite"])
      // As a server of the previous release stores it.
      const own = path.join(settings.DATA_DIR, "projections.sqlite")
      using db = new DatabaseSync(own)
      db.exec("UPDATE checkpoints SET schema_version = 0 WHERE projection = 'history'")
      const rebuilt = yield* Inferlog.json(Rebuilt, [...rebuild, "--next-start"], settings)
      assert.deepInclude(rebuilt, { projections: ["history"] })
      assert.deepStrictEqual(filesOf(settings.DATA_DIR), ["projections.1.sqlite", "projections.sqlite"])
      db.close()
      yield* old.kill("SIGTERM")

      const server = yield* Inferlog.serve({ ...settings, LOG_LEVEL: "Info" })
      yield* untilApplied(settings)
      const { stderr } = yield* server.kill("SIGTERM")
      assert.notInclude(stderr, "is built from the beginning")
      assert.deepStrictEqual(filesOf(settings.DATA_DIR), ["projections.1.sqlite"])
      yield* assertFresh(settings.DATA_DIR)
    }).pipe(Effect.scoped)
  )
})

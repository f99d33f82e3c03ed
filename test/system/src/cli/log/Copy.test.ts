import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "#test/support/src/cli/log/FilledLog.ts"
import * as Until from "#test/support/Until.ts"

const End = Schema.Struct({ log: Schema.String, position: Schema.String })
const Copied = Schema.Struct({
  events: Schema.Int,
  copied: Schema.Int,
  payloads: Schema.Int,
  erasedPayloads: Schema.Int,
  digest: Schema.String,
  from: End,
  to: End
})

/** A log of `count` events, and the path of a missing directory. */
const filled = Effect.fnUntraced(function* (count: number) {
  const parent = yield* TempDirectory.make
  const settings = { DATA_DIR: path.join(parent, "data") }
  fs.mkdirSync(settings.DATA_DIR)
  yield* FilledLog.grow(settings.DATA_DIR, "a", count)
  return { settings, target: path.join(parent, "copy") }
})

const copy = (target: string, ...more: ReadonlyArray<string>) => [
  "log",
  "copy",
  "--from",
  "sqlite",
  "--to",
  `sqlite:${target}`,
  ...more
]

/** Also false for a missing log. */
const hasEvents = (log: string): boolean => {
  try {
    using db = new DatabaseSync(log, { readOnly: true })
    return db.prepare("SELECT 1 FROM events LIMIT 1").get() !== undefined
  } catch {
    return false
  }
}

const exportOf = (DATA_DIR: string) =>
  Effect.map(Inferlog.run(["log", "export"], { DATA_DIR }), ({ stdout }) => stdout)

describe("log copy", () => {
  it.live("copies the log into a new directory, with equal export and verification", () =>
    Effect.gen(function* () {
      const { settings, target } = yield* filled(1_300)
      yield* DataDirectory.own(settings.DATA_DIR, DataDirectory.appendPayload("p", "p0", { prompt: "x" }))
      const copied = yield* Inferlog.json(Copied, copy(target), settings)
      assert.deepInclude(copied, { events: 1_301, copied: 1_301, payloads: 1, erasedPayloads: 0 })
      assert.deepStrictEqual(copied.from, { log: `sqlite:${settings.DATA_DIR}`, position: "1301" })
      assert.deepStrictEqual(copied.to, { log: `sqlite:${target}`, position: "1301" })
      assert.strictEqual(yield* exportOf(target), yield* exportOf(settings.DATA_DIR))
      const verified = yield* Inferlog.json(Inferlog.Verified, ["log", "verify"], { DATA_DIR: target })
      assert.strictEqual(verified.digest, copied.digest)
      assert.strictEqual(fs.statSync(target).mode & 0o777, 0o700)

      yield* FilledLog.grow(settings.DATA_DIR, "b", 1)
      const { code, stderr, stdout } = yield* Inferlog.run(copy(target), settings)
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      const [first, ...anchors] = stdout.trimEnd().split("\n")
      assert.strictEqual(
        first,
        "Copied 1 event. The copy is intact: 1,302 events, 1 payload and 0 erased ones."
      )
      assert.match(anchors.join("\n"), /^Anchor of \S+data: (1302:\S+)\nAnchor of \S+copy: \1$/)
    }).pipe(Effect.scoped)
  )

  it.live("resumes after kill -9, which leaves a shorter log", () =>
    Effect.gen(function* () {
      const { settings, target } = yield* filled(30_000)
      const running = Inferlog.begin(copy(target), settings)
      const { log } = DataDirectory.files(target)
      yield* Until.holds(
        "copied events",
        () => hasEvents(log),
        () => log,
        Until.processes
      )
      running.kill("SIGKILL")
      yield* Effect.promise(() => running.ended)
      const part = yield* DataDirectory.verify(target)
      assert.isAbove(part.events, 0)
      assert.isBelow(part.events, 30_000)
      const copied = yield* Inferlog.json(Copied, copy(target), settings)
      assert.deepInclude(copied, { events: 30_000, copied: 30_000 - part.events })
      assert.strictEqual(copied.digest, (yield* DataDirectory.verify(settings.DATA_DIR)).digest)
    }).pipe(Effect.scoped)
  )

  it.live("rejects a log that a server uses, on either side", () =>
    Effect.gen(function* () {
      const { settings, target } = yield* filled(3)
      const inUse = (directory: string) =>
        `inferlog: A server or another command uses ${directory}: stop it first, because nothing may be appended during a copy\n`
      const source = yield* DataDirectory.own(settings.DATA_DIR, Inferlog.run(copy(target), settings))
      assert.deepStrictEqual(source, { code: 1, stdout: "", stderr: inUse(settings.DATA_DIR) })
      assert.isFalse(fs.existsSync(target))
      fs.mkdirSync(target)
      const other = yield* DataDirectory.own(target, Inferlog.run(copy(target), settings))
      assert.deepStrictEqual(other, { code: 1, stdout: "", stderr: inUse(target) })
    }).pipe(Effect.scoped)
  )

  it.live("rejects a target with other events, and leaves it unchanged", () =>
    Effect.gen(function* () {
      const { settings, target } = yield* filled(3)
      fs.mkdirSync(target)
      yield* FilledLog.grow(target, "other", 2)
      const before = yield* exportOf(target)
      const { code, stderr } = yield* Inferlog.run(copy(target), settings)
      assert.strictEqual(code, 1)
      assert.strictEqual(
        stderr,
        "inferlog: The target is not a copy of this log: at its position 1 it has other0, but the source has a0 (position 1). Nothing was written\n"
      )
      assert.strictEqual(yield* exportOf(target), before)
    }).pipe(Effect.scoped)
  )

  it.live("rejects a target that contains read models or a log.head without a log", () =>
    Effect.gen(function* () {
      const { settings, target } = yield* filled(3)
      for (const file of ["log.head", "projections.sqlite"]) {
        fs.mkdirSync(target)
        fs.writeFileSync(path.join(target, file), "")
        const { code, stderr } = yield* Inferlog.run(copy(target), settings)
        assert.strictEqual(code, 1)
        assert.strictEqual(
          stderr,
          `inferlog: --to: ${target} contains ${file} of another log: choose a new directory\n`
        )
        assert.deepStrictEqual(fs.readdirSync(target), [file])
        fs.rmSync(target, { recursive: true })
      }
    }).pipe(Effect.scoped)
  )

  it.live("rejects invalid or equal locations without printing them, and missing sources", () =>
    Effect.gen(function* () {
      const { settings, target } = yield* filled(1)
      const run = (from: string, to: string) =>
        Inferlog.run(["log", "copy", "--from", from, "--to", to], settings)
      const wrong = yield* run("sqlite", "nats://hunter2@host:port")
      assert.strictEqual(wrong.code, 2)
      assert.match(wrong.stderr, /^inferlog: --to: Expected sqlite /)
      assert.notInclude(wrong.stderr, "hunter2")
      const same = yield* run(`sqlite:${settings.DATA_DIR}`, "sqlite")
      assert.deepInclude(same, {
        code: 2,
        stderr: `inferlog: --to: is the same log as --from, sqlite:${settings.DATA_DIR}\n`
      })
      const nodes = yield* run("nats://hunter2@a,b:4222", "nats://b,c")
      assert.deepInclude(nodes, {
        code: 2,
        stderr: "inferlog: --to: is the same log as --from, nats://a:4222,b:4222?prefix=inferlog\n"
      })
      const missing = yield* run(`sqlite:${target}`, "sqlite")
      assert.deepInclude(missing, {
        code: 1,
        stderr: `inferlog: --from: ${target} contains no event log\n`
      })
    }).pipe(Effect.scoped)
  )
})

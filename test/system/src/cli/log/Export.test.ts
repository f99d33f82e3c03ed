import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "#test/support/src/cli/log/FilledLog.ts"

const Exported = Schema.Struct({ file: Schema.String, events: Schema.Int, position: Schema.String })

const filled = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const settings = { DATA_DIR: path.join(directory, "data") }
  fs.mkdirSync(settings.DATA_DIR)
  yield* FilledLog.grow(settings.DATA_DIR, "a", 1_300)
  return { settings, file: path.join(directory, "log.ndjson") }
})

/** The expected export into a new file. */
const whole = (settings: Inferlog.Settings) =>
  Effect.map(Inferlog.run(["log", "export"], settings), ({ code, stderr, stdout }) => {
    assert.strictEqual(code, 0, stderr)
    return stdout
  })

/** The example with which others verify an export. */
const verifyElsewhere = (exported: string) =>
  childProcess.spawnSync(process.execPath, ["examples/verify-export.mjs"], {
    input: exported,
    encoding: "utf8"
  })

describe("log export", () => {
  it.live("rejects an end before its beginning", () =>
    Effect.gen(function* () {
      const { settings } = yield* filled
      const { code, stderr, stdout } = yield* Inferlog.run(
        ["log", "export", "--after", "5", "--until", "3"],
        settings
      )
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.include(stderr, "--until")
    })
  )

  it.live("writes every event with all fields for verification, and no text for people", () =>
    Effect.gen(function* () {
      const { settings } = yield* filled
      const { code, stderr, stdout } = yield* Inferlog.run(["log", "export"], settings)
      assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
      assert.deepStrictEqual(FilledLog.positions(stdout), FilledLog.range(1, 1_300))
      assert.deepStrictEqual(Object.keys(FilledLog.lines(stdout)[0] ?? {}), [
        "position",
        "stream",
        "ordinal",
        "id",
        "type",
        "time",
        "hash",
        "data"
      ])

      const stats = yield* Inferlog.json(Inferlog.Stats, ["log", "stats", "--types"], settings)
      const verified = verifyElsewhere(stdout)
      assert.strictEqual(verified.stdout, `${stats.position}:${stats.digest}\n`)

      const changed = stdout.replace('"index":700', '"index":701')
      assert.include(verifyElsewhere(changed).stderr, "broken at 701")
      const [first, second, ...others] = stdout.split("\n")
      assert.include(verifyElsewhere([first, ...others].join("\n")).stderr, "broken at 9")
      assert.notStrictEqual(verifyElsewhere([second, first, ...others].join("\n")).stdout, verified.stdout)
      assert.include(verifyElsewhere(stdout.slice(0, -1)).stderr, "incomplete")
    }).pipe(Effect.scoped)
  )

  it.live("writes the events of erased payloads unchanged, with the tombstones, and the log verifies", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      yield* DataDirectory.own(
        directory,
        Effect.forEach(["a", "b"], (id) => DataDirectory.appendPayload(id, `${id}1`, "a text"))
      )
      const settings = { DATA_DIR: directory }
      const before = yield* whole(settings)
      yield* DataDirectory.own(directory, DataDirectory.erase("a"))
      const after = yield* whole(settings)
      assert.strictEqual(after.slice(0, before.length), before)
      const [tombstone] = FilledLog.lines(after.slice(before.length))
      assert.deepInclude(tombstone, { type: "PayloadsErased", data: { erased: ["input"] } })
      assert.strictEqual(verifyElsewhere(after).stderr, "")
      const { code, stdout } = yield* Inferlog.run(["log", "verify"], settings)
      assert.strictEqual(code, 0)
      assert.include(stdout, "3 events, 1 payloads and 1 erased ones")
    }).pipe(Effect.scoped)
  )

  it.live("is limited to positions, types and a stream, and rejects an unknown position", () =>
    Effect.gen(function* () {
      const { settings } = yield* filled
      const invocations = [
        ["--after", "1298"],
        ["--after", "10", "--until", "12"],
        ["--after", "12", "--until", "12"],
        ["--after", "1290", "--type", "Counted"],
        ["--until", "20", "--stream", "Thing-3", "--type", "Happened", "--type", "Counted"],
        ["--after", "1300"],
        ["--after", "1301"],
        ["--after", "first"]
      ]
      const ends = yield* Effect.forEach(
        invocations,
        (args) => Inferlog.run(["log", "export", ...args], settings),
        { concurrency: 2 }
      )
      const exported = ends.filter(({ code }) => code === 0).map(({ stdout }) => FilledLog.positions(stdout))
      assert.deepStrictEqual(exported, [
        [1_299, 1_300],
        [11, 12],
        [],
        [1_291, 1_294, 1_297, 1_300],
        [4, 11, 18],
        []
      ])
      assert.deepStrictEqual(
        ends.map(({ code }) => code),
        [0, 0, 0, 0, 0, 0, 2, 2]
      )
      assert.strictEqual(ends[6]?.stderr, "inferlog: --after 1301: the log ends at position 1300\n")
    }).pipe(Effect.scoped)
  )

  it.live("resumes after a kill, and appends new events: the file equals a fresh export", () =>
    Effect.gen(function* () {
      const { file, settings } = yield* filled
      const follower = yield* Inferlog.follow(["log", "export", "--follow", "--to", file], settings)
      const watched = new Promise<void>((resolve) => {
        const watcher = fs.watch(path.dirname(file), () => {
          if (!fs.existsSync(file) || fs.statSync(file).size === 0) return
          watcher.close()
          resolve()
        })
      })
      yield* Effect.promise(() => watched)
      assert.strictEqual((yield* follower.kill("SIGKILL")).code, null)
      const cut = fs.readFileSync(file, "utf8")
      fs.writeFileSync(file, cut.slice(0, -20))

      const resumed = ["log", "export", "--to", file]
      const first = yield* Inferlog.json(Exported, resumed, settings)
      assert.strictEqual(first.position, "1300")
      assert.strictEqual(fs.readFileSync(file, "utf8"), yield* whole(settings))
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)

      assert.deepStrictEqual(yield* Inferlog.json(Exported, resumed, settings), {
        file,
        events: 0,
        position: "1300"
      })
      yield* FilledLog.grow(settings.DATA_DIR, "b", 10)
      const people = yield* Inferlog.run(resumed, settings)
      assert.strictEqual(people.stdout, `Exported 10 events to ${file}, up to position 1310.\n`)
      assert.strictEqual(fs.readFileSync(file, "utf8"), yield* whole(settings))
    }).pipe(Effect.scoped)
  )

  it.live("follows the log into a file until it is stopped or reaches the last position", () =>
    Effect.gen(function* () {
      const { file, settings } = yield* filled
      const bounded = yield* Inferlog.follow(["log", "export", "--follow", "--until", "1302"], settings)
      const follower = yield* Inferlog.follow(
        ["log", "export", "--follow", "--to", file, "--after", "1300"],
        settings
      )
      yield* bounded.until((stdout) => stdout.includes('"position":"1300"'))
      yield* FilledLog.grow(settings.DATA_DIR, "b", 5)
      const { code, stdout } = yield* bounded.ended
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(FilledLog.positions(stdout), FilledLog.range(1, 1_302))

      const isThere = Effect.sync(() => fs.existsSync(file) && fs.readFileSync(file, "utf8").includes("1305"))
      yield* Effect.repeat(Effect.delay(isThere, "20 millis"), { until: (there) => there })
      assert.strictEqual((yield* follower.kill("SIGTERM")).code, 0)
      assert.deepStrictEqual(
        FilledLog.positions(fs.readFileSync(file, "utf8")),
        FilledLog.range(1_301, 1_305)
      )
    }).pipe(Effect.scoped)
  )

  it.live("rejects a file of another log, a file that is no export, and a gap", () =>
    Effect.gen(function* () {
      const { file, settings } = yield* filled
      const other = yield* filled
      yield* FilledLog.grow(other.settings.DATA_DIR, "b", 100)
      const foreign = yield* whole(other.settings)
      const own = yield* whole(settings)
      const changed = own.replace(/"hash":"..([^"]*","data":[^\n]*\n)$/, '"hash":"AA$1')
      assert.notStrictEqual(changed, own)
      const cases = [
        { content: foreign, code: 1, reason: /its last event is not the event at position 1400 of this log/ },
        { content: changed, code: 1, reason: /its last event is not the event at position 1300 of this log/ },
        { content: "precious", code: 1, reason: /not an export/ },
        { content: "precious\n", code: 1, reason: /not an export/ },
        { content: `${own}precious`, code: 1, reason: /not an export/ },
        { content: `${own}\n`, code: 1, reason: /not an export/ },
        {
          content: own.slice(0, own.indexOf("\n") + 1),
          code: 2,
          args: ["--after", "2"],
          reason: /--after 2: .* ends at position 1/
        }
      ]
      yield* Effect.forEach(
        cases.entries(),
        ([index, { args = [], code, content, reason }]) =>
          Effect.gen(function* () {
            const to = `${file}.${index}`
            fs.writeFileSync(to, content)
            const ended = yield* Inferlog.run(["log", "export", "--to", to, ...args], settings)
            assert.strictEqual(ended.code, code, ended.stderr)
            assert.match(ended.stderr, reason)
            assert.strictEqual(fs.readFileSync(to, "utf8"), content)
          }),
        { concurrency: 2 }
      )
    }).pipe(Effect.scoped)
  )

  it.live("continues files that were truncated within their first line, or are empty", () =>
    Effect.gen(function* () {
      const { file, settings } = yield* filled
      const own = yield* whole(settings)
      for (const content of ["", '{"pos', own.slice(0, 100)]) {
        fs.writeFileSync(file, content)
        const { code, stderr } = yield* Inferlog.run(["log", "export", "--to", file], settings)
        assert.strictEqual(code, 0, stderr)
        assert.strictEqual(fs.readFileSync(file, "utf8"), own)
      }
    }).pipe(Effect.scoped)
  )
})

/** Runs a shell command in which `$INFERLOG` is the program. */
const shell = (script: string, settings: Inferlog.Settings) =>
  Effect.sync(() =>
    childProcess.spawnSync("bash", ["--norc", "-c", `set -o pipefail; ${script}`], {
      encoding: "utf8",
      env: { ...Inferlog.environment, ...settings, INFERLOG: `${process.execPath} bin/inferlog.js` }
    })
  )

describe.skipIf(process.platform === "win32")("Results (skipped on Windows, which has no such files)", () => {
  it.live("end quietly when their reader closes the pipe", () =>
    Effect.gen(function* () {
      const { settings } = yield* filled
      const head = yield* shell("$INFERLOG log export | head -n 1", settings)
      assert.deepStrictEqual([head.status, head.stderr], [0, ""])
      assert.deepStrictEqual(FilledLog.positions(head.stdout), [1])
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!fs.existsSync("/dev/full"))(
    "exit with 1 when they cannot be written (skipped without /dev/full)",
    () =>
      Effect.gen(function* () {
        const { settings } = yield* filled
        for (const command of ["log export", "log stats --json"]) {
          const { status, stderr } = yield* shell(`$INFERLOG ${command} > /dev/full`, settings)
          assert.strictEqual(status, 1)
          assert.match(stderr, /^inferlog: cannot write to stdout: ENOSPC.*\n$/)
        }
      }).pipe(Effect.scoped)
  )

  it.live("continue after the disk was full", () =>
    Effect.gen(function* () {
      const { file, settings } = yield* filled
      const full = yield* shell(`ulimit -f 100; $INFERLOG log export --to ${file}`, settings)
      assert.strictEqual(full.status, 1)
      assert.match(full.stderr, /cannot be written; run the same command again to continue: EFBIG/)
      assert.strictEqual(fs.statSync(file).size, 100 * 1024)
      yield* Inferlog.json(Exported, ["log", "export", "--to", file], settings)
      assert.strictEqual(fs.readFileSync(file, "utf8"), yield* whole(settings))
    }).pipe(Effect.scoped)
  )
})

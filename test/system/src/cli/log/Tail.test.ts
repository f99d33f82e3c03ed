import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "#test/support/src/cli/log/FilledLog.ts"

/** 1,300 events: more than two pages. */
const filled = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  yield* FilledLog.grow(directory, "a", 1_300)
  return { DATA_DIR: directory }
})

const ends = (settings: Inferlog.Settings, ...invocations: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.forEach(invocations, (args) => Inferlog.run(["log", "tail", ...args], settings), { concurrency: 2 })

describe("log tail", () => {
  it.live("prints the last events, oldest first, as text and as the lines of an export", () =>
    Effect.gen(function* () {
      const settings = yield* filled
      const [people, programs, all, exported] = yield* ends(
        settings,
        [],
        ["--json"],
        ["--json", "-n", "10000"],
        ["--json", "-n", "0"]
      )
      assert.deepStrictEqual(FilledLog.positions(String(programs?.stdout)), FilledLog.range(1_281, 1_300))
      assert.deepStrictEqual(FilledLog.positions(String(all?.stdout)), FilledLog.range(1, 1_300))
      assert.deepInclude(exported, { code: 0, stdout: "" })

      const [header, ...rows] = String(people?.stdout).trimEnd().split("\n")
      assert.match(String(header), /^POSITION +TIME +STREAM +TYPE +DATA$/)
      assert.strictEqual(rows.length, 20)
      assert.match(String(rows.at(-1)), /^1300 +2023-11-14T22:13:20.000Z +Thing-4 +Counted +\{"10":"a/)
      assert.notMatch(String(people?.stdout), /[^\n\P{Cc}]/u)
    }).pipe(Effect.scoped)
  )

  it.live("reads back as far as needed for the events of a type or stream", () =>
    Effect.gen(function* () {
      const settings = yield* filled
      yield* FilledLog.grow(settings.DATA_DIR, "b", 1)
      yield* DataDirectory.own(settings.DATA_DIR, DataDirectory.append("other", "c"))
      const [ofType, ofTypes, ofStream, ofBoth, none] = yield* ends(
        settings,
        ["--json", "-n", "3", "--type", "Counted"],
        ["--json", "-n", "4", "--type", "Counted", "--type", "Happened"],
        ["--json", "-n", "2", "--stream", "Thing-6"],
        ["--json", "-n", "1", "--stream", "Thing-6", "--type", "Counted"],
        ["--stream", "Thing-none"]
      )
      assert.deepStrictEqual(FilledLog.positions(String(ofType?.stdout)), [1_297, 1_300, 1_301])
      assert.deepStrictEqual(FilledLog.positions(String(ofTypes?.stdout)), FilledLog.range(1_299, 1_302))
      assert.deepStrictEqual(FilledLog.positions(String(ofStream?.stdout)), [1_288, 1_295])
      assert.deepStrictEqual(FilledLog.positions(String(ofBoth?.stdout)), [1_288])
      assert.deepStrictEqual(none, { code: 0, stdout: "", stderr: "No event matches.\n" })
    }).pipe(Effect.scoped)
  )

  it.live("follows a growing log without gaps or repeats, and exits with 0 when stopped", () =>
    Effect.gen(function* () {
      const settings = yield* filled
      const all = yield* Inferlog.follow(["log", "tail", "-n", "2", "-f", "--json"], settings)
      const counted = yield* Inferlog.follow(["log", "tail", "-f", "--type", "Counted", "-n", "1"], settings)
      yield* all.until((stdout) => stdout.includes('"position":"1300"'))
      yield* counted.until((stdout) => stdout.includes("\n1300 "))
      // Opens, closes and reopens the log while it is followed.
      yield* FilledLog.grow(settings.DATA_DIR, "b", 700)
      yield* FilledLog.grow(settings.DATA_DIR, "c", 1)
      yield* all.until((stdout) => stdout.includes('"position":"2001"'))
      yield* counted.until((stdout) => stdout.includes("\n2001 "))

      const { code, stdout } = yield* all.kill("SIGINT")
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(FilledLog.positions(stdout), FilledLog.range(1_299, 2_001))
      const stopped = yield* counted.kill("SIGTERM")
      assert.strictEqual(stopped.code, 0)
      const shown = stopped.stdout.match(/^\d+/gm)?.map(Number)
      assert.deepStrictEqual(shown, [
        1_300,
        ...FilledLog.range(0, 233).map((index) => 1_301 + 3 * index),
        2_001
      ])
    }).pipe(Effect.scoped)
  )

  it.live("exits with 1 when the log that it follows is removed", () =>
    Effect.gen(function* () {
      const settings = yield* filled
      const follower = yield* Inferlog.follow(["log", "tail", "-f", "--json"], settings)
      yield* follower.until((stdout) => stdout.includes('"position":"1300"'))
      const file = path.join(settings.DATA_DIR, "log.sqlite")
      fs.renameSync(file, `${file}.away`)
      const { code, stderr } = yield* follower.ended
      assert.strictEqual(code, 1)
      assert.strictEqual(stderr, `inferlog: DATA_DIR: ${file} was removed or replaced\n`)
    }).pipe(Effect.scoped)
  )
})

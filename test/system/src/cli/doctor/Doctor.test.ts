/** `doctor` as a whole: its output, its exit code, and that it leaves things as they were. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as DataLock from "#streams/DataLock.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FreePort from "#bench/harness/FreePort.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Doctor from "#test/support/src/cli/doctor/Doctor.ts"

const initialised = Effect.gen(function* () {
  const DATA_DIR = path.join(yield* TempDirectory.make, "data")
  const PORT = String(yield* FreePort.find)
  assert.strictEqual((yield* Inferlog.run(["init"], { DATA_DIR })).code, 0)
  return { DATA_DIR, PORT }
})

/** Names and contents. SQLite opens its index of the WAL anew for a reader. */
const contents = (directory: string) =>
  fs
    .readdirSync(directory)
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .sort()
    .map((name) => [name, fs.readFileSync(path.join(directory, name), "base64")])

const outcomeOf = ({ checks }: ReturnType<typeof Doctor.decode>, name: string) =>
  checks.find((check) => check.name === name)

describe("doctor", () => {
  it.live("finds nothing to mend in a new data directory, and leaves it as it was", () =>
    Effect.gen(function* () {
      const settings = yield* initialised
      const before = contents(settings.DATA_DIR)
      const found = yield* Doctor.run(settings)
      const faults = found.checks.filter(({ outcome }) => outcome === "failed")
      assert.deepStrictEqual([found.code, found.ok, faults], [0, true, []])
      for (const name of ["settings", "data-directory", "file-access", "log-head", "master-key", "sqlite"])
        assert.include(outcomeOf(found, name), { outcome: "ok", remedy: null })
      assert.include(outcomeOf(found, "nats"), { outcome: "skipped" })
      assert.deepStrictEqual(contents(settings.DATA_DIR), before)
    }).pipe(Effect.scoped)
  )

  it.live("works beside a running server, and before the directory exists", () =>
    Effect.gen(function* () {
      const settings = yield* initialised
      const isFree = outcomeOf(yield* Doctor.run(settings), "server")
      assert.include(isFree, { detail: "No server runs on DATA_DIR, and HOST and PORT are free" })
      yield* DataLock.acquire(settings.DATA_DIR)
      const beside = yield* Doctor.run(settings)
      assert.strictEqual(beside.code, 0)
      assert.include(outcomeOf(beside, "server"), {
        detail: "A server, or another command, runs on DATA_DIR"
      })
      const DATA_DIR = path.join(settings.DATA_DIR, "none", "yet")
      const { code } = yield* Doctor.run({ ...settings, DATA_DIR })
      assert.deepStrictEqual([code, fs.existsSync(path.dirname(DATA_DIR))], [0, false])
    }).pipe(Effect.scoped)
  )

  it.live("names wrong and misspelled settings without their values, and exits with 1", () =>
    Effect.gen(function* () {
      const settings = yield* initialised
      const wrong = { PORT: "hunter2", MASTER_KEY: "hunter3", BOOTSTRAP_BALANCES: "hunter4" }
      const ended = yield* Inferlog.spawn(["doctor", "--json"], { ...settings, ...wrong })
      const found = Doctor.decode(ended)
      assert.deepStrictEqual([found.code, found.ok], [1, false])
      assert.match(outcomeOf(found, "settings")?.detail ?? "", /^PORT: Expected .+; MASTER_KEY: Expected /)
      const misspelled = outcomeOf(found, "misspelled-settings")
      assert.include(misspelled, { outcome: "failed", detail: "Ignored: BOOTSTRAP_BALANCES" })
      assert.include(misspelled?.remedy, "BOOTSTRAP_BALANCE?")
      assert.include(outcomeOf(found, "master-key"), { outcome: "skipped" })
      assert.match(ended.stderr, /^inferlog: Something has to be mended: settings, misspelled-settings\n$/)
      assert.notMatch(found.printed, /hunter/)
    }).pipe(Effect.scoped)
  )

  it.live("prints a line for each check to people", () =>
    Effect.gen(function* () {
      const settings = yield* initialised
      const { stdout } = yield* Inferlog.run(["doctor"], { ...settings, ALLOW_PRIVATE_TARGETS: "true" })
      assert.match(stdout, /^CHECK +RESULT +FOUND\nsettings +ok +All \d+ settings are accepted\n/)
      assert.match(stdout, /\nrisky-settings +WARNING +ALLOW_PRIVATE_TARGETS .+To mend: unset it/)
    }).pipe(Effect.scoped)
  )
})

/** The checks of disk, files and log, with real faults. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Directory from "#src/cli/doctor/checks/Directory.ts"
import * as Disk from "#src/cli/doctor/checks/Disk.ts"
import * as Limits from "#src/cli/doctor/checks/Limits.ts"
import * as Log from "#src/cli/doctor/checks/Log.ts"
import * as Segments from "#src/cli/doctor/checks/Segments.ts"
import type * as Check from "#src/cli/doctor/Check.ts"
import * as LogHead from "#streams/LogHead.ts"
import * as ArchivedLog from "#test/support/src/features/archive/ArchivedLog.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Doctor from "#test/support/src/cli/doctor/Doctor.ts"

const isRoot = process.getuid?.() === 0

const named = (checks: ReadonlyArray<Check.Check>, name: string, DATA_DIR: string) => {
  const check = checks.find((check) => check.name === name)
  return check === undefined ? Effect.die(new Error(name)) : Doctor.check(check, { DATA_DIR })
}

const initialised = Effect.gen(function* () {
  const DATA_DIR = path.join(yield* TempDirectory.make, "data")
  assert.strictEqual((yield* Inferlog.run(["init"], { DATA_DIR })).code, 0)
  return DATA_DIR
})

/** With a password, which is sealed. */
const used = Effect.gen(function* () {
  const DATA_DIR = yield* initialised
  const create = ["accounts", "create", "--name", "acme", "--balance", "1"]
  assert.strictEqual((yield* Inferlog.run(create, { DATA_DIR })).code, 0)
  const passwd = yield* Inferlog.run(["accounts", "passwd"], { DATA_DIR }, "correct horse battery staple")
  assert.strictEqual(passwd.code, 0)
  return DATA_DIR
})

describe("doctor looks at the files of DATA_DIR, and", () => {
  it.live("reports modes and owners that let others in, and changes none", () =>
    Effect.gen(function* () {
      const directory = yield* initialised
      const key = path.join(directory, "master.key")
      assert.include(yield* named(Directory.checks, "file-access", directory), { outcome: "ok" })
      fs.chmodSync(key, 0o644)
      const loose = yield* named(Directory.checks, "file-access", directory)
      assert.include(loose, { outcome: "warning", detail: `Other users can read or write ${key}` })
      assert.strictEqual(fs.statSync(key).mode & 0o777, 0o644)
      if (!isRoot) return
      fs.chownSync(key, 12_345, 12_345)
      const mixed = yield* named(Directory.checks, "file-access", directory)
      assert.include(mixed, { outcome: "failed" })
      assert.match(mixed.detail, /belong to different users$/)
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(isRoot)(
    "reports a directory without write permission (skipped for root, who may write)",
    () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        fs.chmodSync(directory, 0o500)
        const found = yield* named(Directory.checks, "data-directory", directory)
        assert.include(found, { outcome: "failed", detail: `${directory} cannot be read and written` })
        assert.include(yield* Doctor.check(Disk.speed, { DATA_DIR: directory }), { outcome: "failed" })
        fs.chmodSync(directory, 0o000)
        for (const name of ["log-head", "master-key"])
          assert.include(yield* named(Log.checks, name, directory), { outcome: "skipped" })
        assert.include(yield* named(Directory.checks, "file-access", directory), { outcome: "failed" })
        fs.chmodSync(directory, 0o700)
      }).pipe(Effect.scoped)
  )

  it.live("names an archived segment that is not where the log has it", () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* TempDirectory.make
      const look = Doctor.check(Segments.check, { DATA_DIR })
      assert.include(yield* look, { outcome: "skipped", detail: "There is no log yet" })
      yield* ArchivedLog.owned(DATA_DIR, ArchivedLog.reserve("k", 1))
      assert.include(yield* look, { outcome: "skipped", detail: "Nothing was archived" })
      yield* ArchivedLog.owned(DATA_DIR, ArchivedLog.archive(DATA_DIR, 5_000))
      assert.include(yield* look, { outcome: "ok" })
      fs.renameSync(ArchivedLog.folder(DATA_DIR), `${ArchivedLog.folder(DATA_DIR)}-moved`)
      const missing = yield* look
      assert.include(missing, { outcome: "failed" })
      assert.match(missing.detail, /^The archived segment segment-\S+ cannot be read: it is not there$/)
    }).pipe(Effect.scoped)
  )

  it.live("reports a disk that takes no files", () =>
    Effect.gen(function* () {
      const found = yield* Doctor.check(Disk.speed, { DATA_DIR: "/proc/inferlog" })
      assert.strictEqual(found.outcome, "failed")
      assert.match(found.detail, /^A file cannot be written and synced in DATA_DIR: E[A-Z]+$/)
    })
  )

  it.live("reports a missing log that is expected", () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* TempDirectory.make
      const [check] = Directory.checks
      assert.isDefined(check)
      const found = yield* Doctor.check(check, { DATA_DIR, EXPECT_DATA: "true" })
      assert.include(found, { outcome: "failed" })
      assert.include(found.remedy, "inferlog init")
    }).pipe(Effect.scoped)
  )
})

describe("doctor compares log.head and the log, and", () => {
  it.live("reports a log that lost its end, a damaged log.head, and a lost key", () =>
    Effect.gen(function* () {
      const directory = yield* used
      const head = path.join(directory, "log.head")
      assert.include(yield* named(Log.checks, "log-head", directory), { outcome: "ok" })

      const open = LogHead.open(head)
      open.write({ sequence: 99, digest: "x" })
      open.close()
      const short = yield* named(Log.checks, "log-head", directory)
      assert.include(short, { outcome: "failed" })
      assert.match(short.detail, /^The log ends at position \d+, but log\.head says 99:/)

      fs.truncateSync(head, 0)
      const damaged = yield* named(Log.checks, "log-head", directory)
      assert.include(damaged, { outcome: "failed" })
      assert.match(damaged.detail, /^log\.head is damaged/)

      fs.rmSync(head)
      assert.include(yield* named(Log.checks, "log-head", directory), { outcome: "warning" })

      assert.include(yield* named(Log.checks, "master-key", directory), { outcome: "ok" })
      fs.writeFileSync(path.join(directory, "master.key"), "ab")
      assert.match((yield* named(Log.checks, "master-key", directory)).detail, /^master\.key is damaged/)
      fs.rmSync(path.join(directory, "master.key"))
      const lost = yield* named(Log.checks, "master-key", directory)
      assert.include(lost, { outcome: "failed" })
      assert.match(lost.detail, /sealed under it$/)
      assert.isFalse(fs.existsSync(path.join(directory, "master.key")))
    }).pipe(Effect.scoped)
  )
})

describe("doctor judges", () => {
  it.each([
    [[0.5, 0.6, 0.7], "ok"],
    [[20, 20, 20], "warning"],
    [[1, 1, 150], "warning"],
    [[300, 300, 300], "failed"]
  ] as const)("commits of %j ms: %s", (times, outcome) => {
    assert.strictEqual(Disk.judge(times).outcome, outcome)
  })

  it.each([
    [0xef53, "ok"],
    [0x6969, "warning"],
    [0x01021994, "warning"]
  ] as const)("a file system of type %d: %s", (type, outcome) => {
    assert.strictEqual(Disk.kindOf(type).outcome, outcome)
  })

  it.each([
    ["256", "failed"],
    ["1024", "warning"],
    ["524288", "ok"],
    ["unlimited", "ok"]
  ] as const)("%s open files: %s", (soft, outcome) => {
    const limits = `Max processes  99  99  processes\nMax open files            ${soft}  1048576  files\n`
    assert.strictEqual(Limits.judgeFiles(limits).outcome, outcome)
  })
})

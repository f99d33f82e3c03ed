import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Archiving from "#src/features/archive/Archiving.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as ArchivedLog from "#test/support/src/features/archive/ArchivedLog.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Until from "#test/support/Until.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

describe("log archive", () => {
  it.live("moves old streams, verifies, and says what it refuses", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const settings = { DATA_DIR: directory }
        yield* ArchivedLog.owned(directory, ArchivedLog.fill(100))
        const target = path.join(directory, "elsewhere")
        const run = (...args: ReadonlyArray<string>) => Inferlog.run(["log", "archive", ...args], settings)
        const archived = yield* run("--older-than", "90d", "--compact", "--json", target)
        assert.include(JSON.parse(archived.stdout), { segments: 1, events: 100 })
        assert.lengthOf(
          fs.readdirSync(target).filter((name) => name.startsWith("segment-000000000001-000000000100-")),
          1
        )
        const verified = yield* Inferlog.run(["log", "verify", "--json"], settings)
        assert.include(JSON.parse(verified.stdout), { ok: true, events: 101 + Archiving.newestKept })
        const again = yield* run("--older-than", "90d", "--json", target)
        assert.include(JSON.parse(again.stdout), { segments: 0, events: 0 })
        const elsewhere = yield* run("--older-than", "90d", "ftp://host/archive")
        assert.include(elsewhere.stderr, "TARGET: expected a folder, or s3://")
        const shared = yield* Inferlog.run(["log", "archive", "--older-than", "90d", target], {
          ...settings,
          EVENT_STORE: "nats://127.0.0.1:1"
        })
        assert.strictEqual(shared.code, 1)
        assert.include(shared.stderr, "EVENT_STORE: only a log in the data directory can be archived")
        const age = yield* run("--older-than", "soon", target)
        assert.notStrictEqual(age.code, 0)
      })
    )
  )

  it.live("is proven from a checkpoint on, whose event is archived since", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const settings = { DATA_DIR: directory, MASTER_KEY: "0b".repeat(32) }
        yield* ArchivedLog.owned(directory, ArchivedLog.fill(20))
        const target = path.join(directory, "elsewhere")
        const run = (...args: ReadonlyArray<string>) => Inferlog.run(["log", ...args], settings)
        assert.strictEqual((yield* run("verify")).code, 0)
        assert.strictEqual((yield* run("archive", "--older-than", "90d", target)).code, 0)
        const segment = path.join(
          target,
          String(fs.readdirSync(target).find((name) => name.startsWith("seg")))
        )
        const intact = fs.readFileSync(segment)
        // The second byte is in no frame, so that only a read of the whole segment finds it.
        for (const place of [100, intact.length - 1]) {
          const changed = Buffer.from(intact)
          changed.writeUInt8(changed.readUInt8(place) ^ 1, place)
          fs.writeFileSync(segment, changed)
          const broken = yield* run("verify", "--incremental")
          assert.strictEqual(broken.code, 1, `byte ${place}`)
          assert.include(broken.stderr, path.basename(segment))
        }
        fs.writeFileSync(segment, intact)
        const { stdout } = yield* run("verify", "--incremental", "--json")
        const { events, since } = JSON.parse(stdout)
        assert.deepStrictEqual([events, since.events], [1, 20 + Archiving.newestKept])
      })
    )
  )

  it.live("killed at any step, it is finished by the next call, with each event in one place", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const { log } = LogFiles.files(directory)
        const target = path.join(directory, "elsewhere")
        const settings = { DATA_DIR: directory }
        const archivable = 300
        // About 13 events fill a frame, so that a run has many steps.
        yield* ArchivedLog.owned(directory, ArchivedLog.fill(archivable, "h".repeat(20_000)))
        const args = ["log", "archive", "--older-than", "90d", target]
        const count = (table: string) => {
          const db = new DatabaseSync(log, { readOnly: true })
          try {
            return Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"])
          } finally {
            db.close()
          }
        }
        const isBegun = () => fs.existsSync(target) && fs.readdirSync(target).length > 0
        const moved = (frames: number) => () => isBegun() && count("frames") > frames
        for (const isReached of [isBegun, moved(0)]) {
          const run = Inferlog.begin(args, settings)
          yield* Until.answers(async () => assert.isTrue(isReached()), Until.processes)
          run.kill("SIGKILL")
          yield* Effect.promise(() => run.ended)
          yield* ArchivedLog.owned(directory, Effect.void)
        }
        assert.strictEqual((yield* Inferlog.run(args, settings)).code, 0)
        const verified = yield* Inferlog.json(Inferlog.Verified, ["log", "verify"], settings)
        const segments = yield* ArchivedLog.owned(directory, ArchivedLog.segments)
        assert.strictEqual(verified.events, archivable + Archiving.newestKept + segments.length)
        assert.strictEqual(count("events"), Archiving.newestKept + segments.length)
        const archived = segments.reduce((sum, { events }) => sum + events, 0)
        assert.strictEqual(archived, archivable)
      })
    )
  )
})

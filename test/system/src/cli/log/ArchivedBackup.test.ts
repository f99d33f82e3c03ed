/** Backups of an archived log, their restoring, and the moving of segments. */
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Archiving from "#src/features/archive/Archiving.ts"
import { files } from "#streams/sqlite/LogFiles.ts"
import * as ArchivedLog from "#test/support/src/features/archive/ArchivedLog.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Damaging from "#test/support/src/cli/backup/Damaging.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const run = Effect.fnUntraced(function* (directory: string, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* Inferlog.run([...args, "--json"], { DATA_DIR: directory })
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout) as Record<string, unknown>
})

const refused = Effect.fnUntraced(function* (directory: string, ...args: ReadonlyArray<string>) {
  const { code, stderr } = yield* Inferlog.run(args, { DATA_DIR: directory })
  assert.strictEqual(code, 1)
  return stderr
})

const rowsIn = (directory: string) => {
  const db = new DatabaseSync(files(directory).log, { readOnly: true })
  const found = Number(db.prepare("SELECT count(*) AS n FROM events").get()?.["n"])
  db.close()
  return found
}

const archive = (directory: string, folder: string) =>
  run(directory, "log", "archive", "--older-than", "90d", folder)

describe("an archived log", () => {
  it.live("is backed up with its segments, each once, and restored with them", () =>
    Effect.gen(function* () {
      const root = yield* TempDirectory.make
      const [data = "", segments = "", target = "", copy = "", later = "", early = "", moved = ""] = [
        "data",
        "segments",
        "target",
        "copy",
        "later",
        "early",
        "moved"
      ].map((name) => path.join(root, name))
      fs.mkdirSync(data)
      yield* ArchivedLog.owned(data, ArchivedLog.fill(200))
      const end = 200 + Archiving.newestKept
      const before = yield* ArchivedLog.seenByAll(data, end)
      yield* archive(data, segments)
      const base = yield* run(data, "backup", target, "--without-keys")
      assert.include(base, { kind: "base" })
      const pieces = () =>
        fs
          .readdirSync(path.join(target, "archive"))
          .map((name) => [name, fs.statSync(path.join(target, "archive", name)).mtimeMs])
      const first = pieces()
      assert.lengthOf(first, 1)

      yield* run(copy, "restore", target, "--without-keys")
      const kept = path.join(root, "kept")
      fs.renameSync(segments, kept)
      assert.deepStrictEqual(yield* ArchivedLog.seenByAll(copy, end), before)
      // The directory can be moved with its segments.
      const elsewhere = path.join(root, "elsewhere")
      fs.renameSync(copy, elsewhere)
      yield* DataDirectory.verify(elsewhere)
      assert.isBelow(rowsIn(elsewhere), end)
      fs.renameSync(kept, segments)

      // Archived after the base: an increment has the segment and its events.
      yield* ArchivedLog.owned(data, ArchivedLog.fill(150))
      yield* archive(data, segments)
      const [, second = ""] = fs.readdirSync(segments).toSorted()
      Damaging.flip(path.join(segments, second))
      assert.include(yield* refused(data, "backup", target, "--without-keys"), second)
      Damaging.flip(path.join(segments, second))
      assert.include(yield* run(data, "backup", target, "--without-keys"), { kind: "increment" })
      assert.lengthOf(pieces(), 2)
      assert.deepInclude(pieces(), first[0])
      const all = end + 1 + 150 + Archiving.newestKept
      const now = yield* ArchivedLog.seenByAll(data, all)
      yield* run(later, "restore", target, "--without-keys")
      assert.deepStrictEqual(yield* ArchivedLog.seenByAll(later, all), now)
      const rows = rowsIn(later)
      yield* archive(later, path.join(later, "archive"))
      assert.isBelow(rowsIn(later), rows)
      yield* DataDirectory.verify(later)

      assert.include(yield* run(data, "backup", target, "--without-keys", "--full"), { kind: "base" })
      assert.deepInclude(pieces(), first[0])
      // Before the second archiving, and before the first.
      for (const position of [all - 10, 100]) {
        const until = ["--until", String(position)]
        assert.include(yield* run(early, "restore", target, "--without-keys", ...until), {
          position: String(position)
        })
        const { events } = yield* DataDirectory.verify(early)
        assert.strictEqual(events, position)
        assert.strictEqual(rowsIn(early), position)
        fs.rmSync(early, { recursive: true })
      }

      // Segments are moved, also over a file that is not the segment, or found where they were moved by hand.
      const name = path.basename(String(first[0]?.[0]))
      fs.mkdirSync(moved)
      fs.writeFileSync(path.join(moved, name), "another file")
      assert.include(yield* run(later, "log", "move-archive", moved), { segments: 2, copied: 2 })
      fs.rmSync(path.join(later, "archive"), { recursive: true })
      assert.deepStrictEqual(yield* ArchivedLog.seenByAll(later, all), now)
      const hand = path.join(root, "hand")
      fs.renameSync(moved, hand)
      assert.include(
        yield* refused(later, "log", "move-archive", path.join(root, "wrong")),
        `${name} cannot be read: it is not there, and the target does not have it`
      )
      assert.include(yield* run(later, "log", "move-archive", hand), { segments: 2, copied: 0 })
      yield* DataDirectory.verify(later)

      const piece = path.join(target, "archive", name)
      Damaging.flip(piece)
      assert.include(yield* refused(early, "restore", target, "--without-keys"), name)
      assert.isFalse(fs.existsSync(files(early).log))
    })
  )
})

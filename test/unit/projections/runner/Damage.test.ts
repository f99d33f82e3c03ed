import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { History } from "#projections/history/History.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const lines: Array<unknown> = []
const told = Logger.layer([Logger.make(({ message }) => void lines.push(message))])

const readSide = (directory: string) =>
  History.layer.pipe(
    Layer.provideMerge(ReadModels.layer),
    Layer.provideMerge(
      Projections.layer({
        filename: path.join(directory, "projections.sqlite"),
        log: { _tag: "Sqlite", filename: LogFiles.files(directory).log }
      })
    ),
    Layer.provideMerge(SqliteEventStore.layer(directory)),
    Layer.provide(told)
  )

/** The number of listed requests once the lists show the whole log. */
const total = Effect.gen(function* () {
  const projections = yield* Projections
  yield* projections.current("history")
  const history = yield* History
  return (yield* history.list({ accountId: Log.alice, page: 1, after: null, limit: 1 })).total
})

const removeJournal = (file: string) => {
  for (const suffix of ["-wal", "-shm"]) fs.rmSync(file + suffix, { force: true })
}

/** Root may read and write every file. */
const isRoot = process.getuid?.() === 0

const damages: ReadonlyArray<readonly [string, (file: string) => void]> = [
  ["is garbage", (file) => fs.writeFileSync(file, Buffer.alloc(50_000, 0xa5))],
  ["is cut off", (file) => fs.truncateSync(file, 4_096)],
  ["is cut off within a page", (file) => fs.truncateSync(file, 5_000)],
  [
    "has damaged pages",
    (file) => {
      const pages = fs.readFileSync(file)
      fs.writeFileSync(file, pages.fill(0xff, 4_096))
    }
  ],
  ["is a directory", (file) => void (fs.rmSync(file), fs.mkdirSync(file))],
  ["may not be read", (file) => fs.chmodSync(file, 0)],
  ["may not be written", (file) => fs.chmodSync(file, 0o400)]
]

describe("a file of read models that", () => {
  for (const [name, damage] of damages) {
    const isSkipped = isRoot && name.startsWith("may not")
    const reason = isSkipped ? " (skipped for root, who may use every file)" : ""
    it.live.skipIf(isSkipped)(`${name} is set aside and built anew${reason}`, () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const file = path.join(directory, "projections.sqlite")
        yield* Effect.provide(Log.append(1, Log.submitted(Log.alice, Log.echo)), readSide(directory))
        removeJournal(file)
        damage(file)
        lines.length = 0
        assert.strictEqual(yield* Effect.provide(total, readSide(directory)), 1)
        assert.include(
          lines.flat(),
          "A file of read models is damaged: it is set aside and built from the log"
        )
        assert.isTrue(fs.existsSync(path.join(directory, "projections.damaged-1.sqlite")))
      }).pipe(Effect.scoped)
    )
  }

  it.live("is damaged repeatedly leaves two damaged copies behind", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      for (let count = 0; count < 4; count++) {
        yield* Effect.provide(Log.append(count, Log.submitted(Log.alice, Log.echo)), readSide(directory))
        const name = fs.readdirSync(directory).find((name) => /^projections(\.\d)?\.sqlite$/.test(name)) ?? ""
        removeJournal(path.join(directory, name))
        fs.writeFileSync(path.join(directory, name), "no database at all, and long enough to be told")
      }
      assert.strictEqual(yield* Effect.provide(total, readSide(directory)), 4)
      assert.deepStrictEqual(
        fs.readdirSync(directory).filter((name) => /damaged-\d\.sqlite$/.test(name)),
        ["projections.damaged-3.sqlite", "projections.damaged-4.sqlite"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is found damaged by a reader is set aside while in use", () =>
    Effect.gen(function* () {
      const projections = yield* Projections
      yield* Log.append(1, Log.submitted(Log.alice, Log.echo))
      assert.strictEqual(yield* total, 1)
      const before = yield* projections.filename
      projections.reportDamage("/another/file.sqlite", "not ours")
      projections.reportDamage(before, "a test says so")
      yield* Effect.repeat(projections.filename, { until: (filename) => filename !== before })
      assert.strictEqual(yield* total, 1)
      yield* Log.append(2, Log.submitted(Log.alice, Log.echo))
      assert.strictEqual(yield* total, 2)
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(TempDirectory.make, readSide))))
  )
})

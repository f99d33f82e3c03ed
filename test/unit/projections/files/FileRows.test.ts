/** The rows agree with the domain, in whatever order the log is read. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as fc from "fast-check"
import { aggregate } from "#domain/file/File.ts"
import { allProjections } from "#projections/AllProjections.ts"
import * as FilesProjection from "#projections/files/FilesProjection.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { replay } from "#test/support/Replay.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { applyAll, cut } from "#test/support/projections/batch/Batch.ts"
import { dump, runOnce } from "#test/support/projections/ReadSide.ts"
import { alice, bob } from "#test/support/projections/RequestLog.ts"
import * as DomainRows from "#test/support/projections/files/DomainRows.ts"
import * as Log from "#test/support/projections/files/FileLog.ts"
import { files, type Lived, lives, tell, types, write } from "#test/support/projections/files/LivedFiles.ts"

const rowsOf = (filename: string) => {
  const { checkpoints: _, ...rows } = dump(filename)
  return rows
}

const logged = Effect.flatMap(EventReader, ({ readAll }) =>
  Stream.runCollect(readAll(GlobalPosition.beginning))
)

const inFile = <A, E>(
  body: (filename: string) => Effect.Effect<A, E, Layer.Success<typeof MemoryEventStore.layer>>
) =>
  Effect.flatMap(TempDirectory.make, (directory) => body(`${directory}/projections.sqlite`)).pipe(
    Effect.scoped,
    Effect.provide(Layer.fresh(MemoryEventStore.layer))
  )

describe("The rows of files", () => {
  it("equal the domain's states after any lives, wherever the log is divided", async () => {
    const projections = [FilesProjection.projection]
    const property = fc.asyncProperty(files, fc.integer({ min: 2, max: 40 }), (lived, size) =>
      inFile((filename) =>
        Effect.gen(function* () {
          const expected = DomainRows.of(yield* write(lived))
          const events = yield* logged
          for (const batch of [1, size, events.length + 1]) {
            assert.deepStrictEqual(applyAll(filename, projections, cut(events, batch)), [])
            assert.deepStrictEqual(rowsOf(filename), expected, `${batch} at a time`)
          }
        })
      ).pipe(Effect.runPromise)
    )
    await fc.assert(property, { numRuns: 40 })
  })

  it("occur in every form, so that the comparison is not vacuous", () => {
    const rows = DomainRows.of(
      lives.map((life, number) => {
        const log = tell({ life, accountId: alice, contentType: "image/png", later: 0 }, number)
        const events = log.map(({ event }) => event)
        return { fileId: Log.fileId(number), log: events, state: replay(aggregate.decider, events) }
      })
    )
    for (const table of Object.values(rows)) assert.isNotEmpty(table)
    const met = JSON.stringify(rows["files_files"])
    for (const word of ["pending", "uploaded", "upload", "output", "thumbnail"])
      assert.include(met, `"${word}"`)
    for (const isSingle of [0, 1]) {
      for (const status of ["pending", "uploaded"])
        assert.include(met, `"is_single":${isSingle},"status":"${status}"`)
    }
  })

  it.live("are the same when built as the log grows and when built all at once", () =>
    inFile((filename) =>
      Effect.gen(function* () {
        const lived = lives.slice(0, 60).map((life, index): Lived => {
          const [contentType = "text/plain"] = types.slice(index % types.length)
          return { life, later: index * 1_000, accountId: index % 2 === 0 ? alice : bob, contentType }
        })
        const known: Array<DomainRows.Known> = []
        for (const from of [0, 20, 40]) {
          known.push(...(yield* write(lived.slice(from, from + 20), from)))
          yield* runOnce(filename, allProjections)
        }
        const grown = dump(filename)
        assert.deepInclude(grown, DomainRows.of(known))
        const anew = `${filename}-anew`
        yield* runOnce(anew, allProjections)
        assert.deepStrictEqual(dump(anew), grown)
      })
    )
  )
})

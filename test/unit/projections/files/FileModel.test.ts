/** Queries about files at any time agree with the domain. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { FileId } from "#domain/Ids.ts"
import { Files } from "#projections/files/Files.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import { alice, bob } from "#test/support/projections/RequestLog.ts"
import * as DomainRows from "#test/support/projections/files/DomainRows.ts"
import { lives, types, write } from "#test/support/projections/files/LivedFiles.ts"

const settle = ReadSide.settle("files")

/** Short lives, so that many files have not arrived. */
const lived = lives.slice(0, 500).map((life, index) => ({
  life: life.slice(0, 1 + (index % 4)),
  later: (index * 37) % 3_000,
  accountId: index % 3 === 0 ? bob : alice,
  contentType: types[0]
}))

/** Exactly at the times of events, and around them. */
const timesOf = (known: ReadonlyArray<DomainRows.Known>) => {
  const moments = known.flatMap(({ log }) => log.slice(0, 1).map(({ at }) => at))
  return fc
    .tuple(fc.constantFrom(...moments), fc.constantFrom(-1, 0, 1))
    .map(([moment, beside]) => moment + beside)
}

/** Expects that `property` holds for 300 samples. A failure prints the seed. */
const holds = <Sample extends [unknown, ...ReadonlyArray<unknown>], E>(
  samples: { [Index in keyof Sample]: fc.Arbitrary<Sample[Index]> },
  property: (...sample: Sample) => Effect.Effect<void, E>
) =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(...samples, (...sample: Sample) => Effect.runPromise(property(...sample))),
      { numRuns: 300 }
    )
  )

describe("Queries of files", () => {
  it.live("count an account's bytes as the domain does, for any end of uploads in one PUT", () =>
    Effect.gen(function* () {
      const files = yield* Files
      const known = yield* write(lived)
      yield* settle
      const met = new Set<number>()
      yield* holds(
        [fc.constantFrom(alice, bob), timesOf(known)],
        Effect.fnUntraced(function* (accountId, singlesSince) {
          const expected = DomainRows.bytesOf(known, accountId, singlesSince)
          met.add(expected)
          assert.strictEqual(yield* files.bytesOf(accountId, { singlesSince }), expected)
        })
      )
      assert.isAbove(met.size, 10)
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("return the uploads in one PUT that the domain has at the time, page by page", () =>
    Effect.gen(function* () {
      const files = yield* Files
      const known = yield* write(lived)
      yield* settle
      let met = 0
      yield* holds(
        [timesOf(known), timesOf(known), fc.integer({ min: 1, max: 20 })],
        Effect.fnUntraced(function* (announcedAfter, announcedBy, limit) {
          const expected = DomainRows.singles(known, announcedAfter, announcedBy)
          const found: Array<FileId> = []
          let page: ReadonlyArray<FileId>
          do {
            const after = found.at(-1) ?? null
            page = yield* files.singles({ after, limit, announcedAfter, announcedBy })
            found.push(...page)
          } while (page.length === limit)
          assert.deepStrictEqual(found, expected)
          if (expected.length > limit) met++
        })
      )
      assert.isAbove(met, 20)
    }).pipe(Effect.provide(ReadSide.layer))
  )
})

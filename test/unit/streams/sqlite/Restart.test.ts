import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as LogHead from "#streams/LogHead.ts"
import { LogTruncated } from "#streams/sqlite/LogEnd.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"

const appendMany = (count: number, prefix: string) =>
  Effect.forEach(
    Array.from({ length: count }).keys(),
    (index) => DataDirectory.append(`s${index % 7}`, `${prefix}${index}`, { index }),
    { concurrency: 10 }
  )

const headOf = (directory: string) => LogHead.read(DataDirectory.files(directory).head)

describe("A log that is opened again", () => {
  it.live("has every event as acknowledged, and continues", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const before = yield* DataDirectory.own(
        directory,
        Effect.andThen(appendMany(50, "before"), DataDirectory.events)
      )
      yield* DataDirectory.own(
        directory,
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* DataDirectory.events, before)
          const [last] = yield* appendMany(1, "after")
          assert.strictEqual(last?.position, "51")
          const conflict = yield* Effect.flip(
            Effect.flatMap(EventStore, (store) =>
              store.append({
                stream: DataDirectory.stream("s0"),
                expected: ExpectedVersion.NoStream,
                events: [eventData("twin")]
              })
            )
          )
          assert.strictEqual(conflict._tag, "WrongExpectedVersion")
        })
      )
    })
  )

  it.live("continues the digest of all its events", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      for (const round of [1, 2, 3]) {
        const digest = yield* DataDirectory.own(
          directory,
          Effect.andThen(appendMany(20, `round${round}-`), DataDirectory.digest)
        )
        assert.deepStrictEqual(headOf(directory), { sequence: 20 * round, digest })
      }
    })
  )

  it.live("catches up from an outdated or missing log.head", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const { head } = DataDirectory.files(directory)
      yield* DataDirectory.own(directory, appendMany(10, "a"))
      const old = fs.readFileSync(head)
      yield* DataDirectory.own(directory, appendMany(1_200, "b"))
      const newest = headOf(directory)
      fs.writeFileSync(head, old)
      yield* DataDirectory.own(directory, Effect.void)
      assert.deepStrictEqual(headOf(directory), newest)
      fs.rmSync(head)
      yield* DataDirectory.own(directory, Effect.void)
      assert.deepStrictEqual(headOf(directory), newest)
    })
  )

  it.live("is rejected if log.head is ahead of the log, until that file is moved away", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      yield* DataDirectory.own(directory, appendMany(10, "a"))
      const short = DataDirectory.snapshot(directory)
      yield* DataDirectory.own(directory, appendMany(5, "b"))
      const known = headOf(directory)
      fs.writeFileSync(DataDirectory.files(directory).log, short.get("log.sqlite") ?? "")
      for (const attempt of ["first", "second"]) {
        const refused = yield* Effect.flip(DataDirectory.own(directory, Effect.void))
        assert.instanceOf(refused, LogTruncated, attempt)
        assert.match(refused.message, /ends at position 10, but log.head says 15: 5 acknowledged events/)
      }
      assert.deepStrictEqual(headOf(directory), known)
      fs.rmSync(DataDirectory.files(directory).head)
      yield* DataDirectory.own(directory, appendMany(1, "c"))
      assert.strictEqual((yield* DataDirectory.verify(directory)).events, 11)
    })
  )
})

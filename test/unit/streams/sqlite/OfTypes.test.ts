/** A reader that needs events of some types only. */
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { pageSize } from "#streams/sqlite/Reads.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"

const count = 3 * pageSize + 7

const typeOf = (position: number) => (position % 10 === 0 ? "Rare" : "Common")

/** Appends events in one stream, the tenth of each ten is rare. */
const fill = Effect.flatMap(EventStore, ({ append }) =>
  append({
    stream: DataDirectory.stream("s"),
    expected: ExpectedVersion.NoStream,
    events: Array.makeBy(count, (index) => ({
      ...eventData(`e${index + 1}`),
      type: typeOf(index + 1)
    }))
  })
)

/** The positions of the arrays that the subscriber gets until the head. */
const arraysOf = (directory: string, types: ReadonlyArray<string>, after: number) =>
  Effect.flatMap(EventReader, (reader) =>
    reader.subscribe(GlobalPosition.trusted(String(after)), types).pipe(
      Stream.chunks,
      Stream.map((events) => events.map(({ position }) => Number(position))),
      Stream.takeUntil((positions) => positions.at(-1) === count),
      Stream.runCollect
    )
  ).pipe(
    Effect.provide(SqliteEventReader.layer({ filename: DataDirectory.files(directory).log }), { local: true })
  )

describe("A subscription to some types", () => {
  it.live(
    "has all events of the types in order, and ends each array with two events that follow each other",
    () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        yield* DataDirectory.own(directory, fill)
        for (const after of [0, 9, 10, pageSize, count - 3, count - 1]) {
          const arrays = yield* arraysOf(directory, ["Rare", "Unknown"], after)
          const positions = arrays.flat()
          const all = Array.range(after + 1, count)
          assert.deepStrictEqual(
            positions.filter((position) => typeOf(position) === "Rare"),
            all.filter((position) => typeOf(position) === "Rare")
          )
          assert.deepStrictEqual(
            positions,
            [...new Set(positions)].sort((a, b) => a - b)
          )
          assert.isBelow(positions.length, all.length / 10 + 10)
          for (const array of arrays)
            assert.deepStrictEqual(array.slice(-2), all.filter((one) => one <= (array.at(-1) ?? 0)).slice(-2))
        }
      })
  )
})

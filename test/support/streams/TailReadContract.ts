/** Reads from the end, and the anchor of the log's head, on every kind of position. Run by a test file for each backend. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as HeadAnchor from "#streams/HeadAnchor.ts"
import * as LogHead from "#streams/LogHead.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as TailRead from "#streams/TailRead.ts"
import { eventData, many } from "#test/support/EventFixtures.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"

const atOnce = 50

/** A rare event, then 600 commits of three events each. Appends to one stream at once would be tried again and again. */
const fill = Effect.gen(function* () {
  const store = yield* EventStore
  const append = (number: number, events: ReturnType<typeof many>) =>
    store.append({ stream: StreamName.make("Thing", `${number}`), expected: ExpectedVersion.Any, events })
  yield* append(0, [eventData("rare", "Rare")])
  yield* Effect.forEach(
    Array.from({ length: 600 }).keys(),
    (index) => append(index % atOnce, many(`${index}.`, 3)),
    { concurrency: atOnce, discard: true }
  )
})

const ids = (events: ReadonlyArray<RecordedEvent>) => events.map(({ id }) => id)

export const tailReadContract = (
  backend: string,
  log: Layer.Layer<EventStore | EventReader, unknown>
): void => {
  const filled = Layer.provideMerge(Layer.effectDiscard(fill), log)

  describe(`TailRead on ${backend}`, () => {
    layer(filled, { excludeTestServices: true })((it) => {
      it.effect("finds the last events up to any position, or of one type, or nothing", () =>
        Effect.gen(function* () {
          const all = yield* DataDirectory.events
          for (const count of [1, 2, 3, 511, 513, 1_800, 1_801]) {
            const end = all[count - 1]?.position ?? GlobalPosition.beginning
            for (const limit of [0, 1, 4, 700]) {
              const found = yield* TailRead.last({ end, limit, matches: () => true })
              assert.deepStrictEqual(ids(found), ids(all.slice(Math.max(0, count - limit), count)))
            }
          }
          const end = yield* (yield* EventReader).head
          const ofType = (type: string) =>
            TailRead.last({ end, limit: 2, matches: (event) => event.type === type })
          assert.deepStrictEqual(ids(yield* ofType("Rare")), ["rare"])
          assert.deepStrictEqual(ids(yield* ofType("None")), [])
        })
      )

      it.effect("finds the event at a position, or nothing", () =>
        Effect.gen(function* () {
          for (const event of (yield* DataDirectory.events).slice(0, 8)) {
            const found = yield* TailRead.at(event.position)
            assert.deepStrictEqual(
              Option.map(found, ({ id }) => id),
              Option.some(event.id)
            )
          }
          for (const position of ["0", "1.7", "999999"]) {
            const found = yield* TailRead.at(GlobalPosition.GlobalPosition.make(position))
            assert.strictEqual(found._tag, "None")
          }
        })
      )

      it.effect(
        "finds the last event of the commit in log.head, or reports that the log has no such commit",
        () =>
          Effect.gen(function* () {
            const filename = `${yield* TempDirectory.make}/log.head`
            assert.deepStrictEqual(yield* HeadAnchor.find(filename), [])
            const position = yield* (yield* EventReader).head
            const head = LogHead.open(filename)
            const sequence = GlobalPosition.sequence(position)
            head.write({ sequence, digest: "d" })
            assert.deepStrictEqual(yield* HeadAnchor.find(filename), [
              { source: "log.head", position, digest: "d" }
            ])
            head.write({ sequence: sequence + 1, digest: "d" })
            const [beyond] = yield* HeadAnchor.find(filename)
            assert.strictEqual(beyond?.position, String(sequence + 1))
            head.close()
          }).pipe(Effect.scoped)
      )
    })
  })
}

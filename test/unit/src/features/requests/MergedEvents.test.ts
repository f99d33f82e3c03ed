import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as MergedEvents from "#src/features/requests/MergedEvents.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"

const stream = StreamName.make("InferenceRequest", "one")
const at = (position: number) => GlobalPosition.trusted(String(position))

/** Its text is not JSON, so parsing it fails. */
const event = (position: number) =>
  new RecordedEvent({
    position: at(position),
    stream,
    ordinal: 0,
    version: trustedVersion("0"),
    id: "",
    type: "RequestStarted",
    time: 0,
    text: "",
    hash: ""
  })

const count = 3_500
const positions = Array.from({ length: count }, (_, index) => index + 1)
/** Interleaved runs of two streams, and an empty stream. */
const parts = [0, 1, 2].map((part) => ({
  events: positions.filter((position) => (position >> 3) % 2 === part).map(event)
}))

describe("Events of several streams", () => {
  it.effect("are in the log's order, from any page", () =>
    Effect.gen(function* () {
      for (const skipped of [0, 1, 999, 1_000, 2_345, count - 3, count]) {
        for (const after of [null, 0, 8, 1_111, count]) {
          const found = yield* MergedEvents.slice(parts, {
            after: after === null ? null : at(after),
            skipped,
            limit: 20
          })
          assert.deepStrictEqual(
            found.map(({ event }) => Number(event.position)),
            positions.slice((after ?? 0) + skipped, (after ?? 0) + skipped + 20)
          )
          for (const { event, part } of found) assert.include(part.events, event)
        }
      }
    })
  )

  it("are counted up to a position, also one between them", () => {
    const events = [2, 4, 4_000].map(event)
    const counted = [1, 2, 3, 4, 3_999, 4_000, 9_999].map((position) =>
      MergedEvents.reached(events, at(position))
    )
    assert.deepStrictEqual(counted, [0, 1, 1, 2, 2, 3, 3])
    assert.strictEqual(MergedEvents.reached([], at(1)), 0)
  })
})

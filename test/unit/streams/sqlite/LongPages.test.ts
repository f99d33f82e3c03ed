import { assert, describe, it } from "@effect/vitest"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import { trusted } from "#streams/GlobalPosition.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as LongPages from "#streams/sqlite/LongPages.ts"
import { pageSize } from "#streams/sqlite/Reads.ts"
import * as StreamName from "#streams/StreamName.ts"

const event = (position: number, text: string) =>
  new RecordedEvent({
    position: trusted(String(position)),
    stream: StreamName.make("Thing", "a"),
    ordinal: position - 1,
    version: trustedVersion(String(position - 1)),
    id: `e${position}`,
    type: "Happened",
    time: 0,
    text,
    hash: `h${position}`
  })

/** A log of `count` events with the same data. */
const pagesOf = (count: number, text = "{}") =>
  LongPages.make({
    head: () => count,
    ofTypes: () => [],
    page: (after) =>
      Array.from({ length: Math.min(pageSize, count - after) }, (_, index) => event(after + index + 1, text))
  })

const positions = (events: ReadonlyArray<RecordedEvent>) => events.map(({ position }) => Number(position))
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe("A long page", () => {
  it("ends at the end of the log, within a page or at its end", () => {
    for (const count of [0, 1, pageSize - 1, pageSize, pageSize + 1, 3 * pageSize]) {
      assert.deepStrictEqual(positions(pagesOf(count)(0)), range(1, count))
    }
  })

  it("continues right after the given position", () => {
    assert.deepStrictEqual(positions(pagesOf(2_000)(700)), range(701, 2_000))
  })

  it("has at most 8,192 events", () => {
    assert.lengthOf(pagesOf(20_000)(0), 8_192)
  })

  it("ends with the page that exceeds 8 MiB of data", () => {
    assert.lengthOf(pagesOf(20_000, "x".repeat(10_000))(0), 2 * pageSize)
  })
})

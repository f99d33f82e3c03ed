/** Logs for the reading commands, and their expected lines. */
import { Effect } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"

/** Text that would break lines, terminals, or JSON after a round trip through other programs. */
const awkward: JsonObject = { "10": "a\u2028b", "9": '","data":{', text: "\u009b31m\u001b[31m" }

/** Every third event is a `Counted`; streams `Thing-0` to `Thing-6` in turn. */
const append = (prefix: string, count: number) =>
  Effect.flatMap(EventStore, (store) =>
    Effect.forEach(
      Array.from({ length: count }).keys(),
      (index) =>
        store.append({
          stream: StreamName.make("Thing", String(index % 7)),
          expected: ExpectedVersion.Any,
          events: [
            eventData(`${prefix}${index}`, index % 3 === 0 ? "Counted" : "Happened", { ...awkward, index })
          ]
        }),
      { concurrency: 100, discard: true }
    )
  )

/** Appends to the log of `directory` as the process that owns it. */
export const grow = (directory: string, prefix: string, count: number) =>
  DataDirectory.own(directory, append(prefix, count))

export interface Line {
  readonly position: string
  readonly stream: string
  readonly ordinal: number
  readonly id: string
  readonly type: string
  readonly time: number
  readonly hash: string
  readonly data: JsonObject
}

/** Every line of `text`, which must end in a newline. */
export const lines = (text: string): ReadonlyArray<Line> => {
  const all = text.split("\n")
  if (all.pop() !== "") throw new Error("the last line is torn")
  return all.map((line) => JSON.parse(line) as Line)
}

export const positions = (text: string): ReadonlyArray<number> =>
  lines(text).map(({ position }) => Number(position))

/** `from` to `to`, both inclusive. */
export const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** Files with random lives on the log, and the domain's states of them. */
import { Effect, Order } from "effect"
import * as fc from "fast-check"
import { aggregate } from "#domain/file/File.ts"
import type { Event } from "#domain/file/Event.ts"
import { type Life, play, someLives } from "#test/support/domain/file/Lives.ts"
import { replay } from "#test/support/Replay.ts"
import { alice, bob, requestId } from "#test/support/projections/RequestLog.ts"
import type { Known } from "./DomainRows.ts"
import * as Log from "./FileLog.ts"

export interface Lived {
  readonly life: Life
  readonly accountId: typeof alice
  readonly contentType: string
  /** The delay of all events, ms. */
  readonly later: number
}

/** Returns the same each time. */
export const lives = someLives()
export const types = [
  "image/png",
  "Image/PNG;x=1",
  "image/webp",
  "text/plain; charset=utf-8",
  "nothing"
] as const
const purposes = [undefined, "batch", "user_data"] as const

/** A few files, of few accounts. */
export const files: fc.Arbitrary<ReadonlyArray<Lived>> = fc.array(
  fc.record({
    life: fc.constantFrom(...lives),
    accountId: fc.constantFrom(alice, bob),
    contentType: fc.constantFrom(...types),
    later: fc.integer({ min: 0, max: 10_000 })
  }),
  { maxLength: 20 }
)

interface Told {
  readonly number: number
  readonly event: Event
}

/** The events of file `number`, as decided by its aggregate. */
export const tell = ({ accountId, contentType, later, life }: Lived, number: number): ReadonlyArray<Told> =>
  play(life).log.map((told) => {
    const event: Event = { ...told, at: told.at + later }
    if (event._tag === "UploadInitiated") {
      const purpose = purposes[number % purposes.length]
      return {
        number,
        event: { ...event, accountId, contentType, ...(purpose !== undefined && { purpose }) }
      }
    }
    if (event._tag !== "OutputStored") return { number, event }
    return { number, event: { ...event, accountId, contentType, requestId: requestId(number % 3) } }
  })

const byTime = Order.mapInput(Order.Number, ({ event }: Told) => event.at)

/** Writes the lives to the log, each event at its time. Returns the final states. */
export const write = Effect.fnUntraced(function* (lived: ReadonlyArray<Lived>, first = 0) {
  const told = lived.map((each, index) => tell(each, first + index))
  for (const { number, event } of told.flat().toSorted(byTime)) yield* Log.write(number, event)
  return told.map((events, index): Known => {
    const log = events.map(({ event }) => event)
    return { fileId: Log.fileId(first + index), log, state: replay(aggregate.decider, log) }
  })
})

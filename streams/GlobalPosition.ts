/**
 * The position of an event in the total order of the log. Opaque outside the backends: `<seq>` or `<seq>.<index>`. Compare
 * with `order`, never as text or number.
 */
import { type Order, Schema } from "effect"

export const GlobalPosition = Schema.String.check(Schema.isPattern(/^\d{1,19}(\.\d{1,9})?$/)).pipe(
  Schema.brand("GlobalPosition")
)
export type GlobalPosition = typeof GlobalPosition.Type

/** A position from the backend itself, unchecked because this is the hottest path. */
export const trusted = (text: string): GlobalPosition => text as GlobalPosition

/** Before the first event. */
export const beginning: GlobalPosition = GlobalPosition.make("0")

export const order: Order.Order<GlobalPosition> = (a, b) => {
  if (a === b) return 0
  if (!a.includes(".") && !b.includes(".")) return compareDigits(a, b)
  const [seqA = "0", indexA = "0"] = a.split(".")
  const [seqB = "0", indexB = "0"] = b.split(".")
  return compareDigits(seqA, seqB) || compareDigits(indexA, indexB)
}

/** Whether a reader at `reader` has read the event at `position`. */
export const isReached = (position: GlobalPosition, reader: GlobalPosition): boolean =>
  order(position, reader) <= 0

/**
 * The approximate number of commits or events up to a position, for gauges. Never convert it back to a position or compare
 * it.
 */
export const sequence = (position: GlobalPosition): number => Number.parseInt(position, 10)

const compareDigits = (a: string, b: string): -1 | 0 | 1 => {
  if (a.length !== b.length) return a.length < b.length ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}

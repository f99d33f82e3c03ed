/**
 * Usage as an exact quantity of its billing unit, so that counting it again years later gives the same number. `Money.units`
 * and `Money.millionths` count whole units and pixels.
 */
import { Quantity } from "./Money.ts"

/** A character is a thousandth of `1k_characters`; a ms is a thousandth of a second. */
const thousandths = (count: bigint): Quantity => Quantity.make(count * 1_000n)

/** A quantity of the unit `second`. `millis` is a whole number of ms and not negative. */
export const seconds = (millis: number): Quantity => thousandths(BigInt(millis))

/**
 * What was used, as a quantity of the unit that it is billed in: exact, and the same whoever counts again years later.
 * Whole units and pixels are `Money.units` and `Money.millionths`.
 */
import { Quantity } from "./Money.ts"

/** One character is a thousandth of `1k_characters`, one ms a thousandth of a second. */
const thousandths = (count: bigint): Quantity => Quantity.make(count * 1_000n)

/** `second`: `millis` is a whole number of ms, not negative. */
export const seconds = (millis: number): Quantity => thousandths(BigInt(millis))

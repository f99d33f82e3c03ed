/**
 * What was used, as a quantity of the unit that it is billed in: exact, and the same whoever counts again years later.
 * Whole units and pixels are `Money.units` and `Money.millionths`.
 */
import { Quantity } from "./Money.ts"

/** One character is a thousandth of `1k_characters`, one ms a thousandth of a second. */
const thousandths = (count: bigint): Quantity => Quantity.make(count * 1_000n)

/**
 * `1k_characters`: the Unicode code points of `text`. Bytes and UTF-16 units would bill one language or emoji more than
 * another, and what is one grapheme changes with the version of Unicode. A lone surrogate counts as one.
 */
export const characters = (text: string): Quantity => {
  let count = 0
  for (let index = 0; index < text.length; count++) index += (text.codePointAt(index) ?? 0) > 0xff_ff ? 2 : 1
  return thousandths(BigInt(count))
}

/** `second`: `millis` is a whole number of ms, not negative. */
export const seconds = (millis: number): Quantity => thousandths(BigInt(millis))

/** `gpu_second`: `gpus` held for `millis` ms each; both are whole numbers, not negative. */
export const gpuSeconds = ({ gpus, millis }: { readonly gpus: number; readonly millis: number }): Quantity =>
  thousandths(BigInt(gpus) * BigInt(millis))

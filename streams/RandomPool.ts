/** Random bytes in small portions: asking the system for each of them would cost more than what they are for. */
import * as crypto from "node:crypto"

/** Gives `size` fresh random bytes at each call, which are valid until the next. */
export const make = (size: number): (() => Buffer) => {
  const pool = Buffer.alloc(1_000 * size)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      crypto.randomFillSync(pool)
      used = 0
    }
    used += size
    return pool.subarray(used - size, used)
  }
}

/** Small portions of random bytes from a pool, because a system call for each would cost too much. */
import * as crypto from "node:crypto"

/** Returns a function that returns `size` new random bytes, valid until its next call. */
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

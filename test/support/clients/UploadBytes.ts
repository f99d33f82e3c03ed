/** The bytes that every driver uploads: byte i is i mod 251, so that each place of a part shows. */
const cycle = Buffer.from(Array.from({ length: 251 }, (_, index) => index))

/** The bytes from `from` to before `to`. */
export const bytes = (from: number, to: number): Buffer => {
  const start = from % cycle.length
  const whole = Buffer.alloc(start + to - from, cycle)
  return whole.subarray(start)
}

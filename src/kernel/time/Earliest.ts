/** Of two times to wait for, in ms, the one that comes first; `null` is never. */
export const earliest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

/** Counts durations in buckets whose width is at most 1/64 of their value, so memory stays bounded. */
export interface Histogram {
  /** Records a non-negative duration in ms. More than an hour counts as an hour. */
  readonly record: (durationMs: number) => void
  /** Returns ms, or 0 if nothing was recorded. `share` is 0..1. */
  readonly percentile: (share: number) => number
}

const longestMicros = 3_600_000_000
/** Buckets per power of two. */
const perOctave = 64

/** Below `perOctave` µs, each µs has its own bucket. */
const bucketOf = (micros: number): number => {
  if (micros < perOctave) return micros
  const octave = 31 - Math.clz32(micros / perOctave)
  return octave * perOctave + Math.floor(micros / 2 ** octave)
}

/** The middle of a bucket, µs. */
const middleOf = (bucket: number): number => {
  if (bucket < perOctave) return bucket
  const octave = Math.floor(bucket / perOctave) - 1
  return (bucket - octave * perOctave + 0.5) * 2 ** octave
}

export const make = (): Histogram => {
  const counts = new Uint32Array(bucketOf(longestMicros) + 1)
  let total = 0

  return {
    record: (durationMs) => {
      const bucket = bucketOf(Math.min(Math.floor(durationMs * 1000), longestMicros))
      counts[bucket] = (counts[bucket] ?? 0) + 1
      total++
    },
    percentile: (share) => {
      let left = Math.max(1, Math.ceil(total * share))
      for (const [bucket, count] of counts.entries()) {
        left -= count
        if (left <= 0) return middleOf(bucket) / 1000
      }
      return 0
    }
  }
}

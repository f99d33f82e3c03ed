/** Chunks of a body, as they come from a socket. */

type Chunks = ReadonlyArray<Uint8Array>

export const bytesOf = (chunks: Chunks): number => chunks.reduce((sum, { length }) => sum + length, 0)

/** What follows the first so many bytes. */
export const without = (chunks: Chunks, bytes: number): Chunks => {
  let skipped = 0
  const rest: Array<Uint8Array> = []
  for (const chunk of chunks) {
    const taken = Math.min(chunk.length, bytes - skipped)
    skipped += taken
    if (taken < chunk.length) rest.push(chunk.subarray(taken))
  }
  return rest
}

/**
 * Gives the memory of chunks back that nobody reads any more. Left to the collector, which hardly sees what lies outside of
 * its heap, a body of any size keeps 64 MiB of it waiting. What a chunk shares with others stays.
 */
export const release = (chunks: Chunks): void => {
  for (const { buffer, byteLength } of chunks)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

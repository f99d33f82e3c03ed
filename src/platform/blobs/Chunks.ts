/** Chunks of a body, as they arrive from a socket. */

type Chunks = ReadonlyArray<Uint8Array>

export const bytesOf = (chunks: Chunks): number => chunks.reduce((sum, { length }) => sum + length, 0)

/** The chunks without their first `bytes` bytes. */
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
 * Frees the memory of chunks that are not used any more. The garbage collector hardly sees memory outside its heap
 * and would leave 64 MiB of it waiting. Memory that a chunk shares with others is not freed.
 */
export const release = (chunks: Chunks): void => {
  for (const { buffer, byteLength } of chunks)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

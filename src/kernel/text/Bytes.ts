/** Collects a body that arrives in chunks. Small chunks are copied into blocks, because each chunk costs an object. */

/** Chunks of this size or more are stored without copying, bytes. */
const large = 4_096
const blockSize = 16_384

export interface Bytes {
  readonly add: (chunk: Uint8Array) => void
  /** Bytes so far. */
  readonly size: () => number
  /** The whole body. A single chunk is not copied. */
  readonly whole: () => Uint8Array
}

export const make = (): Bytes => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  let block: Uint8Array = new Uint8Array(0)
  /** Start of the part of the block that is in no chunk yet. */
  let start = 0
  let end = 0

  const closeSmall = () => {
    if (end > start) chunks.push(block.subarray(start, end))
    start = end
  }

  const addSmall = (chunk: Uint8Array) => {
    if (end + chunk.length > block.length) {
      closeSmall()
      block = Buffer.allocUnsafeSlow(blockSize)
      start = end = 0
    }
    block.set(chunk, end)
    end += chunk.length
  }

  return {
    add: (chunk) => {
      size += chunk.length
      // Most bodies are one chunk.
      if (chunk.length >= large || (chunks.length === 0 && end === 0)) {
        closeSmall()
        chunks.push(chunk)
      } else {
        addSmall(chunk)
      }
    },
    size: () => size,
    whole: () => {
      closeSmall()
      const [first] = chunks
      return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
    }
  }
}

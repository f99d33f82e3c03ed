/** Reads one HTTP/1.1 answer of any size from a connection: parses its head and counts its body. */
export interface Counted {
  readonly status: number
  /** Without quotes. */
  readonly etag: string | null
  /** Size of the body. */
  readonly bytes: number
}

export interface BodyCounter {
  /** Returns the answer when it is complete, and `null` before. Throws on an unreadable answer. */
  readonly push: (chunk: Buffer) => Counted | null
}

const headEnd = "\r\n\r\n"

const headOf = (head: string) => {
  const status = Number(head.slice("HTTP/1.1 ".length).slice(0, 3))
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined && status !== 204)
    throw new Error(`an answer of status ${status} came without content-length`)
  const etag = /\r\netag: *"([^"]*)"/i.exec(head)?.[1] ?? null
  return { status, etag, length: Number(length ?? 0) }
}

/**
 * @param inspect is called with each piece of the body and its offset in the body. The piece is overwritten after the call.
 */
export const make = (inspect: (piece: Buffer, at: number) => void = () => {}): BodyCounter => {
  let text = ""
  let head: ReturnType<typeof headOf> | null = null
  let bytes = 0

  /** The part of the chunk that belongs to the body; `null` while the head is incomplete. */
  const bodyOf = (chunk: Buffer): Buffer | null => {
    if (head !== null) return chunk
    const before = text.length
    text += chunk.toString("latin1")
    const end = text.indexOf(headEnd)
    if (end === -1) return null
    head = headOf(text.slice(0, end))
    return chunk.subarray(end + headEnd.length - before)
  }

  return {
    push: (chunk) => {
      const body = bodyOf(chunk)
      if (body === null || head === null) return null
      if (body.length > 0) inspect(body, bytes)
      bytes += body.length
      if (bytes > head.length) throw new Error("an answer is longer than its content-length")
      return bytes < head.length ? null : { status: head.status, etag: head.etag, bytes }
    }
  }
}

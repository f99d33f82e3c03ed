/**
 * Reads HTTP/1.1 answers from a connection with one request in flight. Parses only the status and the length, and refuses
 * answers without `content-length` (chunked ones).
 */
export interface AnswerReader {
  /** Returns the status when the answer is complete, and `null` before. Throws on an unreadable answer. */
  readonly push: (chunk: Buffer) => number | null
}

const headEnd = Buffer.from("\r\n\r\n")
/** `HTTP/1.1 ` comes before the status. */
const statusAt = 9

/** Only 204 and 304 have no body (RFC 9112, 6.3). */
const bodyLength = (head: string, status: number): number => {
  if (status === 204 || status === 304) return 0
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer of status ${status} came without content-length`)
  return Number(length)
}

export const make = (): AnswerReader => {
  let pending: Buffer | null = null
  /** Status of the answer whose head has been read. */
  let status = 0
  let bytes = Number.POSITIVE_INFINITY

  /** Returns false while the head is incomplete. */
  const readHead = (data: Buffer): boolean => {
    const end = data.indexOf(headEnd)
    if (end === -1) return false
    const head = data.toString("latin1", 0, end)
    status = Number(head.slice(statusAt, statusAt + 3))
    bytes = end + headEnd.length + bodyLength(head, status)
    return true
  }

  return {
    push: (chunk) => {
      const data: Buffer = pending === null ? chunk : Buffer.concat([pending, chunk])
      if ((bytes === Number.POSITIVE_INFINITY && !readHead(data)) || data.length < bytes) {
        // The socket reuses the chunk's memory.
        pending = pending === null ? Buffer.from(data) : data
        return null
      }
      if (data.length > bytes) throw new Error("an answer is longer than its content-length")
      pending = null
      bytes = Number.POSITIVE_INFINITY
      return status
    }
  }
}

/** Reads HTTP requests from the bytes of a connection. */
import type * as net from "node:net"

export interface RawRequest {
  readonly method: string
  /** With the query, as sent. */
  readonly path: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const parseHead = (head: string): Omit<RawRequest, "body"> => {
  const [line = "", ...fields] = head.split("\r\n")
  const [method = "", path = ""] = line.split(" ")
  const headers: Record<string, string> = {}
  for (const field of fields) {
    const colon = field.indexOf(":")
    const name = field.slice(0, colon).toLowerCase()
    const value = field.slice(colon + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return { method, path, headers }
}

/** The body of `Transfer-Encoding: chunked`, `null` until its last chunk has arrived. */
const unchunked = (bytes: Buffer): Buffer | null => {
  const chunks: Array<Buffer> = []
  let at = 0
  while (true) {
    const end = bytes.indexOf("\r\n", at)
    if (end < 0) return null
    const size = Number.parseInt(bytes.toString("latin1", at, end), 16)
    if (size === 0) return bytes.length >= end + 4 ? Buffer.concat(chunks) : null
    if (bytes.length < end + 4 + size) return null
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 4 + size
  }
}

/** The first request of a connection; `null` until it is complete. */
const parse = (bytes: Buffer): RawRequest | null => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) return null
  const head = parseHead(bytes.toString("latin1", 0, end))
  const rest = bytes.subarray(end + 4)
  if (head.headers["transfer-encoding"] === "chunked") {
    const body = unchunked(rest)
    return body === null ? null : { ...head, body }
  }
  const length = Number(head.headers["content-length"] ?? 0)
  return rest.length < length ? null : { ...head, body: rest.subarray(0, length) }
}

/** Calls `arrived` with each byte count, and once with the request, if it arrives whole. */
export const read = (
  socket: net.Socket,
  arrived: { readonly bytes: (count: number) => void; readonly request: (request: RawRequest) => void }
): void => {
  const chunks: Array<Buffer> = []
  let count = 0
  /** No sooner can the request be complete, so that large bodies are not joined with each chunk. */
  let needed = 0
  const onData = (chunk: Buffer) => {
    chunks.push(chunk)
    count += chunk.length
    arrived.bytes(count)
    if (count < needed) return
    const bytes = Buffer.concat(chunks)
    chunks.splice(0, chunks.length, bytes)
    const request = parse(bytes)
    if (request !== null) {
      socket.off("data", onData)
      socket.resume()
      return arrived.request(request)
    }
    needed = expectedLength(bytes)
  }
  socket.on("data", onData)
}

const expectedLength = (bytes: Buffer): number => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) return 0
  const { headers } = parseHead(bytes.toString("latin1", 0, end))
  return end + 4 + Number(headers["content-length"] ?? 0)
}

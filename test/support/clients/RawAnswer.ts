/** Writes the answers of the behaviour table byte by byte. */
import type { Answer, Frame } from "./BehaviourCase.ts"
import * as Upload from "./UploadBytes.ts"

export interface RawAnswer {
  readonly bytes: Buffer
  /** The offset behind each frame, from the first byte of the answer. */
  readonly ends: ReadonlyArray<number>
}

const frameText = ({ comment, data, event, id, raw, retry }: Frame): string =>
  [
    ...(comment === undefined ? [] : [`: ${comment}\n`]),
    ...(retry === undefined ? [] : [`retry: ${retry}\n`]),
    ...(id === undefined ? [] : [`id: ${id}\n`]),
    ...(event === undefined ? [] : [`event: ${event}\n`]),
    ...(raw === undefined ? [] : [raw]),
    ...(data === undefined ? [] : [`data: ${JSON.stringify(data)}\n`]),
    "\n"
  ].join("")

const contentOf = (answer: Answer): readonly [type: string, bytes: Buffer] => {
  if (answer.body !== undefined) return ["application/json", Buffer.from(JSON.stringify(answer.body))]
  if (answer.size !== undefined) return ["text/plain", Buffer.alloc(answer.size, "x")]
  if (answer.bytes !== undefined) return ["application/octet-stream", Upload.bytes(...answer.bytes)]
  return ["text/plain", Buffer.from(answer.text ?? "")]
}

const chunkedOf = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n0\r\n\r\n")])

const head = (status: number, headers: Readonly<Record<string, string>>) =>
  Buffer.from(
    `HTTP/1.1 ${status} Scripted\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}\r\n`,
    "latin1"
  )

/** Streams end with their connection, as those of the server do. Other answers have a length or are chunked. */
export const of = (answer: Answer): RawAnswer => {
  const common = { "x-request-id": "call_of-the-exchange", connection: "close" }
  if (answer.frames !== undefined) {
    const start = head(answer.status, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      ...common,
      ...answer.headers
    })
    const frames = answer.frames.map((frame) => Buffer.from(frameText(frame)))
    const ends: Array<number> = []
    let at = start.length
    for (const frame of frames) ends.push((at += frame.length))
    return { bytes: Buffer.concat([start, ...frames]), ends }
  }
  const [type, content] = contentOf(answer)
  const isEmpty = answer.status === 204 || answer.status === 304
  const framing = answer.chunked
    ? { "transfer-encoding": "chunked" }
    : { "content-length": String(content.length) }
  const start = head(answer.status, {
    ...(isEmpty ? {} : { "content-type": type, ...framing }),
    ...common,
    ...answer.headers
  })
  const body = isEmpty ? Buffer.alloc(0) : answer.chunked ? chunkedOf(content) : content
  return { bytes: Buffer.concat([start, body]), ends: [] }
}

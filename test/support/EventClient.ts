/** Reads server-sent events on a bare socket and exposes every byte. */
import * as net from "node:net"
import { Effect } from "effect"

/** An event as a client program receives it. */
interface Received {
  readonly id: string | null
  readonly event: string | null
  readonly data: { readonly [field: string]: unknown }
}

export interface EventClient {
  /** All bytes so far, including the head of the answer. */
  readonly text: () => string
  /** The number of these bytes. */
  readonly length: () => number
  /** The status of the answer; 0 before it arrives. */
  readonly status: () => number
  /** The bytes after the head. */
  readonly body: () => string
  /** Complete events so far. An event that was cut off does not count (WHATWG HTML, 9.2.6). */
  readonly events: () => ReadonlyArray<Received>
  /** Waits until the condition holds. Dies if the connection closes first. */
  readonly until: (isSo: (client: EventClient) => boolean) => Effect.Effect<void>
  /** Waits for the end of the connection. */
  readonly closed: Effect.Effect<void>
  readonly isClosed: () => boolean
  readonly destroy: () => void
  /** Pauses and resumes reading. */
  readonly pause: () => void
  readonly resume: () => void
}

export interface EventClientOptions {
  readonly port: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON by POST. Without it the call is a GET. */
  readonly body?: object
  /** Disconnects after this number of bytes. */
  readonly bytes?: number
}

/** Connects until the scope closes. */
export const open = (options: EventClientOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => connect(options)),
    (client) => Effect.sync(client.destroy)
  )

const requestText = ({ body, headers = {}, path, port }: EventClientOptions): string => {
  const text = body === undefined ? "" : JSON.stringify(body)
  const fields = Object.entries({
    Host: `127.0.0.1:${port}`,
    ...(body !== undefined && {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text)
    }),
    ...headers
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1\r\n${fields.join("")}\r\n${text}`
}

const connect = (options: EventClientOptions): EventClient => {
  const { bytes = Infinity, port } = options
  let text = ""
  let isClosed = false
  const listeners = new Set<() => void>()
  const tell = () => listeners.forEach((listener) => listener())
  const socket = net.connect(port, "127.0.0.1", () => socket.write(requestText(options)))
  socket.setEncoding("utf8")
  socket.on("error", () => {})
  socket.on("data", (chunk) => {
    text += String(chunk)
    if (text.length >= bytes) {
      text = text.slice(0, bytes)
      socket.destroy()
    }
    tell()
  })
  socket.on("close", () => {
    isClosed = true
    tell()
  })
  const bodyStart = () => text.indexOf("\r\n\r\n") + 4

  const client: EventClient = {
    text: () => text,
    length: () => text.length,
    status: () => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0),
    body: () => (bodyStart() < 4 ? "" : text.slice(bodyStart())),
    events: () => parse(client.body()),
    until: (isSo) =>
      Effect.callback((resume) => {
        const check = () => {
          if (isSo(client)) end(Effect.void)
          else if (isClosed) end(Effect.die(new Error(`The stream has ended: ${text}`)))
        }
        const end = (outcome: Effect.Effect<void>) => {
          listeners.delete(check)
          resume(outcome)
        }
        listeners.add(check)
        check()
        return Effect.sync(() => listeners.delete(check))
      }),
    closed: Effect.suspend(() => client.until(() => isClosed)),
    isClosed: () => isClosed,
    destroy: () => socket.destroy(),
    pause: () => socket.pause(),
    resume: () => socket.resume()
  }
  return client
}

/** Parses events as a browser does, as far as our streams need it. */
const parse = (body: string): ReadonlyArray<Received> =>
  body
    .split("\n\n")
    .slice(0, -1)
    .flatMap((block) => {
      const fields = new Map(
        block
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const)
      )
      const data = fields.get("data")
      return data === undefined
        ? []
        : [{ id: fields.get("id") ?? null, event: fields.get("event") ?? null, data: JSON.parse(data) }]
    })

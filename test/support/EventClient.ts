/** A reader of server-sent events on a bare socket, which shows every byte that came. */
import * as net from "node:net"
import { Effect } from "effect"

/** An event as the client's program gets it. */
interface Received {
  readonly id: string | null
  readonly event: string | null
  readonly data: { readonly [field: string]: unknown }
}

export interface EventClient {
  /** Everything so far, the head of the answer included. */
  readonly text: () => string
  /** How much that is. */
  readonly length: () => number
  /** Of the answer; 0 before it has come. */
  readonly status: () => number
  /** What came behind the head. */
  readonly body: () => string
  /** Whole events so far. What was cut off is none (WHATWG HTML, 9.2.6). */
  readonly events: () => ReadonlyArray<Received>
  /** Waits until that is so; dies when the connection is gone and it is not. */
  readonly until: (isSo: (client: EventClient) => boolean) => Effect.Effect<void>
  /** Waits for the end of the connection. */
  readonly closed: Effect.Effect<void>
  readonly isClosed: () => boolean
  readonly destroy: () => void
  /** Stops and starts to read. */
  readonly pause: () => void
  readonly resume: () => void
}

export interface EventClientOptions {
  readonly port: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Leaves as soon as it has had so many bytes. */
  readonly bytes?: number
}

/** Until the scope closes. */
export const open = ({ bytes = Infinity, headers = {}, path, port }: EventClientOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => connect(port, path, headers, bytes)),
    (client) => Effect.sync(client.destroy)
  )

const connect = (
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  bytes: number
): EventClient => {
  let text = ""
  let isClosed = false
  const listeners = new Set<() => void>()
  const tell = () => listeners.forEach((listener) => listener())
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = net.connect(port, "127.0.0.1", () =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${fields.join("")}\r\n`)
  )
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

/** As a browser would, as far as our streams go. */
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

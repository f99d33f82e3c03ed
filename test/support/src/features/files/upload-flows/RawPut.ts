/** A PUT over a bare socket, at the test's pace. */
import * as net from "node:net"
import { Effect } from "effect"

interface RawPut {
  /** Resolves when the operating system has taken them. */
  readonly send: (bytes: Uint8Array) => Effect.Effect<void>
  /** The status of the answer; `null` if the connection ended without one. */
  readonly status: Promise<number | null>
}

/** Its head is sent when this returns. The socket closes with the scope. */
export const begin = Effect.fnUntraced(function* (url: string, contentType: string, length: number) {
  const { hostname, pathname, port, search } = new URL(url)
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => net.connect(Number(port), hostname)),
    (socket) => Effect.sync(() => socket.destroy())
  )
  const status = new Promise<number | null>((resolve) => {
    let text = ""
    // A reset connection has ended, too.
    socket.on("error", () => {})
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1")
      const [, code] = /^HTTP\/1\.1 (\d{3}) .*\r\n/.exec(text) ?? []
      if (code !== undefined) resolve(Number(code))
    })
    socket.on("close", () => resolve(null))
  })
  const send: RawPut["send"] = (bytes) =>
    Effect.callback<void>((resume) => void socket.write(bytes, () => resume(Effect.void)))
  yield* send(
    Buffer.from(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: ${contentType}\r\n` +
        `Content-Length: ${length}\r\nConnection: close\r\n\r\n`
    )
  )
  return { send, status } satisfies RawPut
})

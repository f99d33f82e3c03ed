/** A TCP proxy for a port of this machine that can cut connections while both ends live. */
import { once } from "node:events"
import * as net from "node:net"
import { Effect, type Scope } from "effect"

/**
 * `refuse`: connections are closed. `blackhole`: they stay open, new ones too, and all bytes are dropped. `deaf`:
 * they stay open, and only bytes from the target are dropped. `hold`: like `blackhole`, but bytes to the target are
 * stored for `release`.
 */
export type Cut = "refuse" | "blackhole" | "deaf" | "hold"

export interface TcpProxy {
  readonly port: number
  /** Cuts existing and new connections. */
  readonly cut: (how: Cut) => Effect.Effect<void>
  /** New connections work again. Those that lost bytes are closed. */
  readonly heal: Effect.Effect<void>
  /** Delivers stored bytes, even if their sender is gone, and waits until the target answers a ping after them. */
  readonly release: Effect.Effect<void>
}

/** Listens on a free port for `target`, a port. Closed with the scope, with all connections. */
export const make = Effect.fn("TcpProxy.make")(function* (
  target: number
): Effect.fn.Return<TcpProxy, never, Scope.Scope> {
  const sockets = new Set<net.Socket>()
  /** Connections to the target. */
  const targets = new Set<net.Socket>()
  /** Bytes in transit, by their connection to the target. */
  const held = new Map<net.Socket, Array<Buffer>>()
  let state: Cut | "open" = "open"

  const keep = (socket: net.Socket) => {
    sockets.add(socket)
    // The close event follows and suffices.
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket))
  }
  const swallow = (socket: net.Socket) => socket.unpipe().resume()
  const closeAll = () => sockets.forEach((socket) => socket.destroy())

  const server = net.createServer((near) => {
    if (state === "refuse") return void near.destroy()
    keep(near)
    if (state === "blackhole" || state === "hold") return void swallow(near)
    const far = keep(net.connect(target, "127.0.0.1"))
    targets.add(far)
    near.pipe(far).pipe(near)
    near.on("data", (bytes) => state === "hold" && held.get(far)?.push(bytes))
    if (state === "deaf") swallow(far)
    // The end of one side closes the other, except through a hole.
    near.on("close", () => state === "blackhole" || held.has(far) || far.destroy())
    far.on("close", () => {
      targets.delete(far)
      if (state !== "blackhole" && state !== "hold") near.destroy()
    })
  })

  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () =>
      Effect.sync(() => {
        server.close()
        closeAll()
      })
  )
  const address = server.address()
  return {
    port: address !== null && typeof address === "object" ? address.port : 0,
    cut: (how) =>
      Effect.sync(() => {
        state = how
        if (how === "refuse") closeAll()
        else (how === "deaf" ? targets : sockets).forEach(swallow)
        if (how === "hold") for (const target of targets) held.set(target, [])
      }),
    heal: Effect.sync(() => {
      if (state === "blackhole" || state === "deaf") closeAll()
      if (state === "hold") sockets.forEach((socket) => targets.has(socket) || socket.destroy())
      state = "open"
    }),
    release: Effect.promise(async () => {
      for (const [target, bytes] of held) {
        const answered = once(target, "data")
        target.write(Buffer.concat(bytes))
        await answered
      }
      held.clear()
    })
  }
})

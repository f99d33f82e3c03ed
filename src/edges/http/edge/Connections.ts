/** Observes connections, for metrics. */
import type { Server } from "node:http"
import { Context } from "effect"

export const Connections = Context.Reference<{ readonly opened: () => void; readonly closed: () => void }>(
  "inferlog/src/edges/http/edge/Connections",
  { defaultValue: () => ({ opened: () => {}, closed: () => {} }) }
)

export const observe = (server: Server, { closed, opened }: typeof Connections.Service): Server =>
  server.on("connection", (socket) => {
    opened()
    socket.once("close", closed)
  })

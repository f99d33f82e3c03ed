/** `Administration` through the admin socket of the server that runs on a data directory. */
import * as net from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Option, Schema } from "effect"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { Administration, operations } from "./Administration.ts"
import { AdministrationFailed } from "./AdministrationFailed.ts"
import * as AdminSocket from "./AdminSocket.ts"

/** The server's directory has no room for a socket (`AdminSocket`). */
export class NoAdminSocket extends Schema.TaggedError<NoAdminSocket>()("NoAdminSocket", {
  directory: Schema.String
}) {
  override get message(): string {
    return `A server runs on ${this.directory}, whose path is too long for an admin socket: stop the server first`
  }
}

/** The lock is held, but nobody answers at the socket: the server is starting or stopping, or it is no server. */
export class ServerUnreachable extends Schema.TaggedError<ServerUnreachable>()("ServerUnreachable", {
  directory: Schema.String
}) {
  override get message(): string {
    return `Another inferlog process uses ${this.directory}, but takes no commands at its admin socket`
  }
}

/** Whether anybody listens, before a command is sent: one that was sent is never sent again. */
const connect = (path: string): Effect.Effect<void, Error> =>
  Effect.callback((resume) => {
    const socket = net.connect(path)
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.void)
    })
    socket.once("error", (error) => resume(Effect.fail(error)))
    return Effect.sync(() => socket.destroy())
  })

const failed = (reason: string) =>
  new AdministrationFailed({ reason: `The running server did not carry out the command: ${reason}` })

type Operation = (payload: never) => Effect.Effect<unknown, { readonly _tag: string }>

/** No answer, or one that this release does not declare: the server is of another release, or it stopped. */
const carriedOut =
  (operation: Operation) =>
  (payload: never): ReturnType<Operation> =>
    // The client throws on a payload that its schema refuses.
    Effect.suspend(() => operation(payload)).pipe(
      Effect.catchTag("RpcClientError", ({ _tag }) => Effect.fail(failed(_tag))),
      Effect.catchDefect(() => Effect.fail(failed("it does not know the command, or failed")))
    )

const overSocket = (socketPath: string) =>
  Layer.effect(
    Administration,
    Effect.map(RpcClient.make(operations, { disableTracing: true }), (client) =>
      Administration.of(
        Object.fromEntries(
          Object.entries(client as unknown as Record<string, Operation>).map(([name, operation]) => [
            name,
            carriedOut(operation)
          ])
        ) as unknown as Administration["Service"]
      )
    )
  ).pipe(
    Layer.provide(RpcClient.layerProtocolHttp({ url: `http://admin.socket${AdminSocket.route}` })),
    Layer.provide([RpcSerialization.layerNdjson, NodeHttpClient.layerNodeHttpOptions({ socketPath })])
  )

/** Finds the server; the layer then speaks to it. */
export const open = Effect.gen(function* () {
  const directory = yield* DataDirectory
  const path = AdminSocket.pathIn(directory)
  if (Option.isNone(path)) return yield* new NoAdminSocket({ directory })
  yield* connect(path.value).pipe(Effect.mapError(() => new ServerUnreachable({ directory })))
  return overSocket(path.value)
})

/** `Administration` through the admin socket of the server that runs on a data directory. */
import * as net from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Cause, Effect, Layer, Option, Predicate, Record, Schema } from "effect"
import { RpcClient, RpcClientError, RpcSerialization } from "effect/rpc"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { Administration, operations } from "./Administration.ts"
import * as AdminSocket from "./AdminSocket.ts"
import { AdministrationFailed, type Operations } from "./Operations.ts"

/** The path of the server's data directory is too long for a socket (`AdminSocket`). */
export class NoAdminSocket extends Schema.TaggedError<NoAdminSocket>()("NoAdminSocket", {
  directory: Schema.String
}) {
  override get message(): string {
    return `A server runs on ${this.directory}, whose path is too long for an admin socket: stop the server first`
  }
}

/** The directory is locked, but nothing listens on the socket: a server is starting or stopping, or another command runs. */
export class ServerUnreachable extends Schema.TaggedError<ServerUnreachable>()("ServerUnreachable", {
  directory: Schema.String
}) {
  override get message(): string {
    return `Another inferlog process uses ${this.directory}, but does not accept commands on its admin socket`
  }
}

/** Checks that a server listens before the command is sent, because a command that was sent is never sent again. */
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

const url = `http://admin.socket${AdminSocket.route}`

/** Replaces undeclared failures: a server that stopped, has a bug, or is of a release without the operation. */
const undelivered = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  const isDeclared = Cause.hasFails(cause) && !(error instanceof RpcClientError.RpcClientError)
  if (isDeclared) return Effect.failCause(cause)
  // The message of a schema error quotes the response, which may contain a secret.
  const detail = Schema.isSchemaError(error)
    ? error._tag
    : Predicate.isError(error)
      ? error.message
      : String(error)
  return Effect.fail(
    new AdministrationFailed({ reason: `The running server did not carry out the command: ${detail}` })
  )
}

const overSocket = (socketPath: string) =>
  Layer.effect(
    Administration,
    Effect.map(RpcClient.make(operations, { disableTracing: true }), (client) => {
      const calls = Record.map(
        client,
        (call: (payload: never) => Effect.Effect<unknown, unknown>) => (payload: never) =>
          // The client throws when the schema refuses the payload.
          Effect.catchCause(
            Effect.suspend(() => call(payload)),
            undelivered
          )
      )
      return Administration.of(calls as Operations<typeof operations>)
    })
  ).pipe(
    Layer.provide(RpcClient.layerProtocolHttp({ url })),
    Layer.provide([RpcSerialization.layerJson, NodeHttpClient.layerNodeHttpOptions({ socketPath })])
  )

/** Finds the server. The layer sends the commands to it. */
export const open = Effect.gen(function* () {
  const directory = yield* DataDirectory
  const path = AdminSocket.pathIn(directory)
  if (Option.isNone(path)) return yield* new NoAdminSocket({ directory })
  yield* connect(path.value).pipe(Effect.mapError(() => new ServerUnreachable({ directory })))
  return overSocket(path.value)
})

/** `Administration` through the admin socket of the server that runs on a data directory. */
import * as net from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Option, Schema } from "effect"
import { HttpApiClient } from "effect/http-api"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { AdminApi } from "./AdminApi.ts"
import { Administration, AdministrationFailed } from "./Administration.ts"
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

const baseUrl = "http://admin.socket"

const beyondApi = ["HttpClientError", "SchemaError"] as const

/** An answer that the API does not have, or none: the server is of another release, or it went away. */
const undeclared = (error: { readonly _tag: string }) =>
  new AdministrationFailed({ reason: `The running server did not carry out the command: ${error._tag}` })

const overSocket = (socketPath: string) =>
  Layer.effect(
    Administration,
    Effect.gen(function* () {
      const client = yield* HttpApiClient.make(AdminApi, { baseUrl })
      return Administration.of({
        openAccount: (payload) =>
          client.openAccount({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        issueKey: (payload) => client.issueKey({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        rotateKey: (payload) => client.rotateKey({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        revokeKey: (payload) => client.revokeKey({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        listKeys: (payload) => client.listKeys({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        showBalance: (payload) =>
          client.showBalance({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        topUp: (payload) => client.topUp({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        listAccounts: (payload) =>
          client.listAccounts({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        showLimits: (payload) => client.showLimits({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        changeLimits: (payload) =>
          client.changeLimits({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        setPassword: (payload) =>
          client.setPassword({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        eraseAccount: (payload) =>
          client.eraseAccount({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        listRequests: (payload) =>
          client.listRequests({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        showRequest: (payload) =>
          client.showRequest({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        issueWorkerKey: (payload) =>
          client.issueWorkerKey({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        rotateWorkerKey: (payload) =>
          client.rotateWorkerKey({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        revokeWorkerKey: (payload) =>
          client.revokeWorkerKey({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        listWorkerKeys: (payload) =>
          client.listWorkerKeys({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        publishDefinitions: (payload) =>
          client.publishDefinitions({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        listItems: (payload) => client.listItems({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        showItem: (payload) => client.showItem({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        deprecateItem: (payload) =>
          client.deprecateItem({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        withdrawItem: (payload) =>
          client.withdrawItem({ payload }).pipe(Effect.catchTag(beyondApi, undeclared)),
        listProjections: client.listProjections().pipe(Effect.catchTag(beyondApi, undeclared)),
        adoptProjections: client.adoptProjections().pipe(Effect.catchTag(beyondApi, undeclared))
      })
    })
  ).pipe(Layer.provide(NodeHttpClient.layerNodeHttpOptions({ socketPath })))

/** Finds the server; the layer then speaks to it. */
export const open = Effect.gen(function* () {
  const directory = yield* DataDirectory
  const path = AdminSocket.pathIn(directory)
  if (Option.isNone(path)) return yield* new NoAdminSocket({ directory })
  yield* connect(path.value).pipe(Effect.mapError(() => new ServerUnreachable({ directory })))
  return overSocket(path.value)
})

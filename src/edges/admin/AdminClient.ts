/** `Administration` through the server that runs on a data directory, or through one elsewhere. */
import * as net from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Option, Predicate, Result, Schema } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { notCarriedOut, parse, refused, releases, type Target } from "./AdminAnswers.ts"
import { Administration, operations } from "./Administration.ts"
import * as AdminSocket from "./AdminSocket.ts"
import * as Calls from "./Calls.ts"
import type { Any } from "./Operation.ts"

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

const callOf = (client: HttpClient.HttpClient, target: Target, operation: Any) => {
  const wired = Calls.wired(operation)
  return Effect.fnUntraced(function* (payload: unknown) {
    const wire = wired()
    // The message of a schema error may quote a secret.
    const { body, params, query } = yield* Effect.mapError(wire.encode({ ...Object(payload) }), () =>
      notCarriedOut(target, "a value is not valid")
    )
    const path = operation.path.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? "")
    )
    const request = HttpClientRequest.make(operation.method)(target.url + Calls.prefix + path).pipe(
      HttpClientRequest.setUrlParams(query),
      HttpClientRequest.setHeaders(target.headers)
    )
    const exchange = Effect.flatMap(
      client.execute(
        body === null
          ? request
          : HttpClientRequest.bodyText(request, JsonText.write(body as Json), "application/json")
      ),
      (response) => Effect.map(response.text, (text) => ({ response, text }))
    )
    const { response, text } = yield* Effect.mapError(exchange, (error) =>
      notCarriedOut(target, Predicate.isError(error) ? error.message : "it does not answer")
    )
    const parsed = text === "" ? undefined : Result.getOrElse(parse(text), () => undefined)
    if (response.status >= 200 && response.status < 300) {
      if (Calls.isVoid(operation)) return
      return yield* Effect.mapError(wire.decodeSuccess(parsed), () =>
        notCarriedOut(target, `its answer is not as expected${releases(response)}`)
      )
    }
    return yield* Effect.fail(refused(target, operation.name, wire.decodeError, response, parsed))
  })
}

/** Sends the operations to `target`. Redirects are not followed, so the key is sent to no other origin. */
export const layerAt = (target: Target) =>
  Layer.effect(
    Administration,
    Effect.map(HttpClient.HttpClient, (client) =>
      Administration.of(
        Object.fromEntries(
          operations.map((operation) => [operation.name, callOf(client, target, operation as unknown as Any)])
        ) as unknown as Administration["Service"]
      )
    )
  ).pipe(Layer.provide(Layer.succeed(HttpClient.TracerPropagationEnabled, false)))

const overSocket = (socketPath: string) =>
  layerAt({ url: "http://admin.socket", headers: {}, name: "The running server" }).pipe(
    Layer.provide(NodeHttpClient.layerNodeHttpOptions({ socketPath }))
  )

/** Finds the server. The layer sends the commands to it. */
export const open = Effect.gen(function* () {
  const directory = yield* DataDirectory
  const path = AdminSocket.pathIn(directory)
  if (Option.isNone(path)) return yield* new NoAdminSocket({ directory })
  yield* connect(path.value).pipe(Effect.mapError(() => new ServerUnreachable({ directory })))
  return overSocket(path.value)
})

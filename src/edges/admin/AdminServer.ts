/** Serves `Administration` on the admin socket. Requires the lock of the data directory. */
import * as fs from "node:fs"
import * as http from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Effect, Layer, Option, Schema } from "effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import { RpcSerialization, RpcServer } from "effect/rpc"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { Administration, operations } from "./Administration.ts"
import * as AdminSocket from "./AdminSocket.ts"
import * as LocalAdministration from "./LocalAdministration.ts"

export class AdminSocketUnusable extends Schema.TaggedError<AdminSocketUnusable>()("AdminSocketUnusable", {
  path: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `The admin socket ${this.path} cannot be created in DATA_DIR`
  }
}

const attempt = (path: string, run: () => void) =>
  Effect.try({ try: run, catch: (cause) => new AdminSocketUnusable({ path, cause }) })

/** Removes the socket of a killed server. The lock proves that no process listens on it. */
const removeStale = (path: string) =>
  Layer.effectDiscard(attempt(path, () => fs.rmSync(path, { force: true })))

/** Only the owner may connect. The permissions are set before the first request is answered. */
const closeToOthers = (path: string) => Layer.effectDiscard(attempt(path, () => fs.chmodSync(path, 0o600)))

const listener = (path: string) =>
  NodeHttpServer.layer(() => http.createServer(), { path, gracefulShutdownTimeout: "1 second" }).pipe(
    Layer.catchTag("ServeError", ({ cause }) => Layer.effectContext(new AdminSocketUnusable({ path, cause })))
  )

/** Large enough for dozens of definitions of the catalog. */
const bodyLimit = Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(1_024))

const answer = RpcServer.toHttpEffect(operations, {
  spanPrefix: "Administration",
  disableFatalDefects: true
}).pipe(Effect.provide([operations.toLayer(Administration), RpcSerialization.layerJson]))

/** Has its own router: all servers of a process share `HttpRouter.layer`, so the public one would serve this route. */
const serving = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    yield* router.add("POST", AdminSocket.route, yield* answer)
    yield* HttpServer.serveEffect(router.asHttpEffect())
  })
)

const serveAt = (path: string) =>
  serving.pipe(
    Layer.provide(bodyLimit),
    Layer.provide(closeToOthers(path)),
    Layer.provide(listener(path)),
    Layer.provide(removeStale(path))
  )

const noSocket = Layer.effectDiscard(
  Effect.logWarning(
    process.platform === "win32"
      ? "Windows has no admin socket: stop the server before commands that change keys and accounts"
      : "The path of DATA_DIR is too long for an admin socket: stop the server before commands that change keys and accounts"
  )
)

export const layerNoDeps = Layer.unwrap(
  Effect.map(DataDirectory, (directory) =>
    Option.match(AdminSocket.pathIn(directory), { onNone: () => noSocket, onSome: serveAt })
  )
)

export const layer = layerNoDeps.pipe(Layer.provide(LocalAdministration.layer))

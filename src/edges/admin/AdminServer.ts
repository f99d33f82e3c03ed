/** Serves `Administration` on the admin socket. Requires the lock of the data directory. */
import * as fs from "node:fs"
import * as http from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Option, Schema } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as ErrorBoundary from "#src/edges/http/edge/ErrorBoundary.ts"
import { routerConfig, RouteTable } from "#src/edges/http/edge/RouteTable.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as AdminApi from "./AdminApi.ts"
import * as AdminAuthorization from "./AdminAuthorization.ts"
import * as AdminRoutes from "./AdminRoutes.ts"
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

const routes = AdminRoutes.layer(AdminAuthorization.admitOwner).pipe(
  Layer.provide(ErrorBoundary.layer),
  Layer.provide(RouteTable.layer(AdminApi.api))
)

/** Fresh, because servers of a process must not share a router: the public one would serve these routes without a key. */
const serving = Layer.fresh(
  HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true, routerConfig })
)

const serveAt = (path: string) =>
  serving.pipe(
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

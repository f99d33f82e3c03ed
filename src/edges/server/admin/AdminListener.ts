/** Administration over HTTP: its routes, and the port of its own that it may have. */
import { Config, Effect, Layer, Option } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as AssetsApi from "#src/edges/console/assets/AssetsApi.ts"
import * as ConsoleCalls from "#src/edges/console/sessions/ConsoleCalls.ts"
import * as SessionsApi from "#src/edges/console/sessions/SessionsApi.ts"
import * as AdminAuthorization from "#src/edges/admin/AdminAuthorization.ts"
import * as AdminRoutes from "#src/edges/admin/AdminRoutes.ts"
import * as ErrorBoundary from "#src/edges/http/edge/ErrorBoundary.ts"
import { routerConfig, RouteTable } from "#src/edges/http/edge/RouteTable.ts"
import { OperatorActions } from "#src/features/operators/OperatorActions.ts"
import * as SsoApi from "#src/edges/sso/routes/SsoApi.ts"
import * as AdminDocument from "./AdminDocument.ts"
import { Host, host } from "#src/kernel/settings/ListenAddress.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"

export const adminPort = Setting.optional({
  name: "ADMIN_PORT",
  config: Config.Port,
  defaultText: "none: `/admin/v1` is served on `PORT`",
  description: "the port of administration over HTTP (`/admin/v1`), which `PORT` then does not serve",
  accepts: "1 to 65535",
  example: "9090"
})

export const adminHost = Setting.optional({
  name: "ADMIN_HOST",
  config: (name) => Config.schema(Host, name),
  defaultText: "`HOST`",
  description: "the address on which `ADMIN_PORT` listens",
  accepts: "an IP address or a host name",
  example: "127.0.0.1"
})

/** For operators with keys, or with sessions of single sign-on. */
export const routes = Layer.mergeAll(
  AdminRoutes.layer(AdminAuthorization.admit),
  AdminDocument.layer,
  SsoApi.layer
)

/** `null` when administration has no port of its own. */
export const address = Effect.gen(function* () {
  const port = yield* adminPort.config
  const own = yield* adminHost.config
  return Option.isNone(port) ? null : { host: Option.getOrElse(own, () => ""), port: port.value }
}).pipe(
  Effect.flatMap((found) =>
    found === null || found.host !== ""
      ? Effect.succeed(found)
      : Effect.map(host.config, (host) => ({ ...found, host }))
  )
)

/** On a server of its own. Fresh, because servers of a process must not share a router. */
export const layerNoServer = Layer.fresh(
  HttpRouter.serve(
    Layer.mergeAll(routes, SessionsApi.operators, AssetsApi.layer).pipe(
      Layer.provide(ErrorBoundary.layer),
      Layer.provide(RouteTable.layer(AdminDocument.ofListener)),
      Layer.provide(OperatorActions.layer)
    ),
    { disableLogger: true, disableListenLog: true, routerConfig }
  ).pipe(Layer.provide(ConsoleCalls.operators))
)

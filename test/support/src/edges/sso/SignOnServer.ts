/** A server of administration whose operators sign in at a real issuer. */
import { ConfigProvider, Effect, Layer, type Scope } from "effect"
import * as FreePort from "#bench/harness/FreePort.ts"
import * as LocalAdministration from "#src/edges/admin/LocalAdministration.ts"
import * as AdminListener from "#src/edges/server/admin/AdminListener.ts"
import * as Http from "#src/edges/server/HttpServer.ts"
import { SingleSignOn } from "#src/edges/sso/SingleSignOn.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { OperatorAuthentication } from "#src/features/operators/OperatorAuthentication.ts"
import * as Core from "#src/composition/Core.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import {
  masterKey,
  publicUrls,
  publishing,
  quiet
} from "#test/support/src/edges/admin/AdministrationLayers.ts"
import * as TestIssuer from "./TestIssuer.ts"

export interface Place {
  readonly directory: string
  readonly port: number
  readonly issuer: TestIssuer.TestIssuer
  readonly url: string
}

/** A free port, a new data directory, and an issuer that is not started. */
export const place: Effect.Effect<Place, never, Scope.Scope> = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const port = yield* FreePort.find
  const url = `http://127.0.0.1:${port}`
  const issuer = yield* Effect.acquireRelease(
    Effect.promise(() => TestIssuer.make(`${url}/admin/v1/sign-in/callback`)),
    (issuer) => Effect.promise(() => issuer.stop())
  )
  return { directory, port, issuer, url }
})

/** A server of administration. One after another in the same place is a restart. */
export const server = (place: Place) =>
  AdminListener.layerNoServer.pipe(
    Layer.provideMerge(OperatorAuthentication.layer),
    Layer.provideMerge(SingleSignOn.layer.pipe(Layer.provide(masterKey))),
    Layer.provideMerge(LocalAdministration.layer),
    Layer.provideMerge(Http.layerServerAt({ host: "127.0.0.1", port: place.port })),
    Layer.provideMerge(Layer.merge(Authentication.layer.pipe(Layer.provide(masterKey)), publishing)),
    Layer.provideMerge(Core.layer),
    Layer.provideMerge(publicUrls),
    Layer.provideMerge(DataDirectory.layerAt(place.directory)),
    Layer.provide(
      ConfigProvider.layer(
        ConfigProvider.fromUnknown({
          ...TestIssuer.settingsOf(place.issuer, place.url),
          TRUSTED_PROXIES: "127.0.0.1"
        })
      )
    ),
    Layer.provide(quiet)
  )

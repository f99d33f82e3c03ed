/** The account's API keys (decisions, "Platform routes"). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { createKey } from "./CreateKey.ts"
import { getKey } from "./GetKey.ts"
import { listKeys } from "./ListKeys.ts"
import { revokeKey } from "./RevokeKey.ts"
import { rotateKey } from "./RotateKey.ts"

const routes = [listKeys, getKey, createKey, rotateKey, revokeKey] as const

export class KeysApi extends HttpApiGroup.make("keys")
  .add(...Route.endpointsOf(routes))
  .annotateEndpoints(Requires, "keys:admin")
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["platform"])
  .annotateMerge(
    OpenApi.annotations({
      title: "Keys",
      description: "The account's API keys: what each may do, and its secret."
    })
  ) {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)

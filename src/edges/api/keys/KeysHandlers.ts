/** The declared routes of an account's keys. */
import { Effect } from "effect"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as CreateKey from "./CreateKey.ts"
import * as GetKey from "./GetKey.ts"
import * as ListKeys from "./ListKeys.ts"
import * as RevokeKey from "./RevokeKey.ts"
import * as RotateKey from "./RotateKey.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { KeysApi } from "./KeysApi.ts"

export const layer = DeclaredRoutes.layer({
  group: KeysApi,
  admit: Authorization.admit,
  services: Effect.all({
    list: ListKeys.make,
    get: GetKey.make,
    create: CreateKey.make,
    rotate: RotateKey.make,
    revoke: RevokeKey.make
  }),
  handlers: ({ create, get, list, revoke, rotate }) => ({
    listKeys: ({ query }, caller) => list({ caller, query }),
    getKey: ({ params }, caller) => get({ caller, params }),
    createKey: ({ request }, caller) =>
      create({ caller, headers: request.headers, readBody: BodyReader.read(request) }),
    rotateKey: ({ params, request }, caller) =>
      rotate({ caller, params, headers: request.headers, readBody: BodyReader.read(request) }),
    revokeKey: ({ params }, caller) => revoke({ caller, params })
  })
})

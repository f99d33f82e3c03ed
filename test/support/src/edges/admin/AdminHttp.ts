/** Administration over HTTP, with the real services, on a free port and a new data directory. */
import * as url from "node:url"
import { Context, Effect, Layer, Redacted } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { NetAddress } from "effect/net"
import type { Role } from "#domain/operator/Role.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as AdminServer from "#src/edges/admin/AdminServer.ts"
import { Program } from "#src/edges/admin/log/Proofs.ts"
import * as LocalAdministration from "#src/edges/admin/LocalAdministration.ts"
import * as AdminListener from "#src/edges/server/admin/AdminListener.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { SingleSignOn } from "#src/edges/sso/SingleSignOn.ts"
import * as Http from "#src/edges/server/HttpServer.ts"
import { OperatorAuthentication } from "#src/features/operators/OperatorAuthentication.ts"
import { core } from "./AdministrationLayers.ts"

/** What verify and audit run. */
const program = url.fileURLToPath(new URL("../../../../../bin/inferlog.js", import.meta.url))

export class AdminUrl extends Context.Service<AdminUrl, string>()("inferlog/test/AdminUrl") {}

/** The administration of the directory's owner, and the URL of `/admin/v1`. */
export const layer = Layer.effect(
  AdminUrl,
  Effect.map(HttpServer.HttpServer, ({ address }) => {
    const port = NetAddress.isInetAddress(address) ? address.port : 0
    return `http://127.0.0.1:${port}`
  })
).pipe(
  Layer.provideMerge(Layer.merge(AdminListener.layerNoServer, AdminServer.layerNoDeps)),
  Layer.provide(Layer.succeed(Program, [program])),
  Layer.provideMerge(OperatorAuthentication.layer),
  Layer.provideMerge(SingleSignOn.layer.pipe(Layer.provide(MasterKey.layerOf(Buffer.alloc(32, 7))))),
  Layer.provideMerge(LocalAdministration.layer),
  Layer.provideMerge(Http.layerServerAt({ host: "127.0.0.1", port: 0 })),
  Layer.provideMerge(core)
)

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- each test expects another form
  readonly json: any
}

export interface Sent {
  readonly method?: string
  readonly key?: string | null
  readonly body?: unknown
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** @param path below the server's root. */
export const call = Effect.fnUntraced(function* (
  path: string,
  { body, key = null, method = "GET" }: Sent = {}
) {
  const base = yield* AdminUrl
  return yield* Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(key !== null && { authorization: `Key ${key}` }),
        ...(body !== undefined && { "content-type": "application/json" })
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parsed(text) }
  })
})

/** A new operator's id and key. */
export const operator = Effect.fnUntraced(function* (role: Role, expiresAt: number | null = null) {
  const { createOperator } = yield* Administration
  const { key, operatorId } = yield* createOperator({ name: role, role, expiresAt })
  return { operatorId, key: Redacted.value(key) }
})

/** Helpers for tests of the request tools: a client in this process, and requests in any state. */
import { Effect, Layer } from "effect"
import { McpServer } from "effect/ai"
import type { Grant } from "#domain/account/Grant.ts"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { RequestId } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import { Stopping } from "#src/edges/http/Stopping.ts"
import * as AllTools from "#src/edges/mcp/AllTools.ts"
import { ToolCaller } from "#src/edges/mcp/ToolCaller.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ToolClients from "./ToolClients.ts"

let accounts = 0

/** A new account, and a client that uses its key. */
export const newClient = Effect.fnUntraced(function* (
  options: {
    readonly balance?: string
    readonly grant?: Partial<Grant>
    readonly stopping?: Effect.Effect<void>
  } = {}
) {
  const name = `caller${++accounts}`
  const { authenticate } = yield* Authentication
  const known = yield* authenticate(yield* TestServer.openAccount(name, options.balance))
  const caller = { ...known, grant: { ...known.grant, ...options.grant } }
  return { name, caller, client: yield* clientOf(caller, options.stopping) }
})

/** @param stopping completes when the server begins to stop. */
export const clientOf = (caller: Caller, stopping: Effect.Effect<void> = Effect.never) =>
  ToolClients.connect(
    AllTools.requestLayer.pipe(
      Layer.provide(
        McpServer.middleware<{ provides: ToolCaller }>()((call) =>
          Effect.provideService(call, ToolCaller, caller)
        ).layer
      ),
      Layer.provide(CatalogSearch.layer),
      Layer.provide(Layer.succeed(Stopping, stopping))
    )
  )

type Tools = Effect.Success<ReturnType<typeof clientOf>>
type Arguments = Parameters<Tools["answer"]>[1]

/** The result of a successful call. */
export const given = (tools: Tools, name: string, args: Arguments) => tools.answer<JsonObject>(name, args)

/** The text of a call that was refused. */
export const refused = (tools: Tools, name: string, args: Arguments) => tools.errorAnswer(name, args)

/** The id of a request that the client has submitted. */
export const ran = Effect.fnUntraced(function* (tools: Tools, args: Arguments = {}) {
  const { requestId } = yield* given(tools, "run_model", {
    modelEndpoint: "sandbox/echo",
    input: { value: "in" },
    ...args
  })
  return RequestId.make(String(requestId))
})

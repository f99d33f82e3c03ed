/** Sessions without callers: of a process that is started over a database that outlives it. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { unlimited } from "#domain/account/Grant.ts"
import { noLimits } from "#domain/account/Limits.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { McpEndpoint } from "#src/edges/mcp/McpEndpoint.ts"
import * as ServedProtocol from "#src/edges/mcp/ServedProtocol.ts"
import { Sessions } from "#src/edges/mcp/sessions/Sessions.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import * as ToolClient from "./ToolClient.ts"

let keys = 0

/** With a key that no other test uses. */
export const newCaller = (accountId = "acc_0000000000000000"): Caller => ({
  accountId: AccountId.make(accountId),
  keyId: KeyId.make(`key-${++keys}`),
  grant: unlimited,
  limits: noLimits,
  isSuperseded: false,
  token: null
})

const initialize = new TextEncoder().encode(JSON.stringify(ToolClient.initialize()))

/**
 * As after a start of the process. `opened` and `terminated`: how many sessions the runtime was asked to open and to
 * end. @param isBroken whether the runtime cannot open any.
 */
export const startOver = Effect.fnUntraced(function* (isBroken: () => boolean) {
  let opened = 0
  let terminated = 0
  const counted = Layer.effect(
    McpEndpoint,
    Effect.map(McpEndpoint, (endpoint) => ({
      ...endpoint,
      post: (message, tell) =>
        Effect.suspend(() => {
          if (message.session === null) opened++
          return isBroken() ? tell(HttpServerResponse.empty({ status: 500 })) : endpoint.post(message, tell)
        }),
      terminate: (inner) =>
        Effect.suspend(() => {
          terminated++
          return endpoint.terminate(inner)
        })
    }))
  ).pipe(Layer.provide(ServedProtocol.layerOf(Layer.empty)))
  const services = yield* Layer.buildWithMemoMap(
    Sessions.layer.pipe(Layer.provide(counted)),
    yield* Layer.makeMemoMap,
    yield* Effect.scope
  )
  return { ...Context.get(services, Sessions), opened: () => opened, terminated: () => terminated }
})

export const start = startOver(() => false)

export const openOne = (sessions: Sessions["Service"], caller: Caller) =>
  Effect.map(sessions.open(caller, initialize), ({ id }) => id ?? "")

/** Whether the session exists. This counts as a use. */
export const isThere = (sessions: Sessions["Service"], caller: Caller, id: string) =>
  Effect.map(Effect.result(Effect.scoped(sessions.hold(caller, id))), Result.isSuccess)

/** A session that was opened and called. */
export const openAndUse = (sessions: Sessions["Service"], caller: Caller) =>
  Effect.tap(openOne(sessions, caller), (id) => assertThere(sessions, caller, [id]))

/** This counts as a use of all of them. */
export const assertThere = Effect.fnUntraced(function* (
  sessions: Sessions["Service"],
  caller: Caller,
  ids: ReadonlyArray<string>
) {
  for (const id of ids) assert.isTrue(yield* isThere(sessions, caller, id))
})

export const assertGone = Effect.fnUntraced(function* (
  sessions: Sessions["Service"],
  caller: Caller,
  ids: ReadonlyArray<string>
) {
  for (const id of ids) assert.isFalse(yield* isThere(sessions, caller, id))
})

export const stored = (caller: Caller) =>
  Effect.flatMap(OAuthDatabase, (sql) =>
    Effect.map(sql`SELECT hash FROM mcp_sessions WHERE key_id = ${caller.keyId}`, (rows) => rows.length)
  )

export const everybody = () => Effect.succeed(true)

/** What oidc-provider keeps, in `Records`. Sessions are not kept: nobody is signed in beyond one authorization. */
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Adapter, type AdapterPayload, errors } from "oidc-provider"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as Lifetimes from "./Lifetimes.ts"
import type { Payload, Records } from "./Records.ts"

/** Runs to its end whatever becomes of the call: what a call has begun to store it stores. */
export type Run = <A>(effect: Effect.Effect<A, SqlError | EventStoreError>) => Promise<A>

export interface Options {
  readonly records: Records["Service"]
  /** Called when the grant of a login is revoked. */
  readonly endLogin: (loginId: string) => Effect.Effect<void, SqlError | EventStoreError>
  readonly run: Run
}

/** JSON, as the library writes and reads it. */
const payloadOf = (payload: AdapterPayload): Payload => {
  const { consumed: _consumed, jti: _jti, ...kept } = payload
  return JSON.parse(JSON.stringify(kept))
}

export const make =
  ({ endLogin, records, run }: Options) =>
  (model: string): Adapter => {
    if (model === "Session") return forgetful

    const find = Effect.fnUntraced(function* (id: string) {
      const found = yield* records.find({ model, id })
      if (found === null) return undefined
      const now = yield* Clock.currentTimeMillis
      const { consumedAt, payload } = found
      const graceMs = model === "RefreshToken" ? Lifetimes.refreshGrace * 1_000 : 0
      const isUsed = consumedAt !== null && now >= consumedAt + graceMs
      const stored: AdapterPayload = { ...payload, ...(model === "Client" ? {} : { jti: id }) }
      return isUsed ? { ...stored, consumed: Math.floor(consumedAt / 1_000) } : stored
    })

    const put = Effect.fnUntraced(function* (id: string, payload: AdapterPayload, expiresIn: number) {
      const now = yield* Clock.currentTimeMillis
      const { accountId = null, clientId, grantId = null } = payload
      yield* records.put({
        model,
        id,
        payload: payloadOf(payload),
        expiresAt: now + expiresIn * 1_000,
        grantId,
        loginId: accountId
      })
      // With each token: a client that is used stays.
      if (clientId !== undefined) {
        const expiresAt = now + Lifetimes.usedClient * 1_000
        yield* records.prolong({ model: "Client", id: clientId, expiresAt })
      }
    })

    const consume = Effect.fnUntraced(function* (id: string) {
      const keepMs = (model === "RefreshToken" ? Lifetimes.usedRefreshToken : Lifetimes.code) * 1_000
      const isFirst = yield* records.consume({ model, id, keepMs })
      return isFirst || model === "RefreshToken"
    })

    const destroy = Effect.fnUntraced(function* (id: string) {
      const found = model === "Grant" ? yield* records.find({ model, id }) : null
      yield* records.remove({ model, id })
      const loginId = found?.payload["accountId"]
      if (typeof loginId === "string") yield* endLogin(loginId)
    })

    return {
      find: (id) => run(find(id)),
      upsert: (id, payload, expiresIn = Lifetimes.unusedClient) => run(put(id, payload, expiresIn)),
      consume: async (id) => {
        const isTaken = await run(consume(id))
        if (!isTaken) throw new errors.InvalidGrant("authorization code already consumed")
      },
      destroy: (id) => run(destroy(id)),
      revokeByGrantId: (grantId) => run(records.removeOfGrant({ model, grantId })),
      findByUid: async () => undefined,
      findByUserCode: async () => undefined
    }
  }

const forgetful: Adapter = {
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  upsert: async () => {},
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {}
}

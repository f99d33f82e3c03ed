/** Stores oidc-provider's objects in `Records`. Sessions are not stored: no sign-in outlasts its authorization. */
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Adapter, type AdapterPayload, errors } from "oidc-provider"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as Lifetimes from "./Lifetimes.ts"
import type { Found, Payload, Records } from "./Records.ts"

/** Runs to its end even when the call is aborted, so that a started write completes. */
export type Run = <A>(effect: Effect.Effect<A, SqlError | EventStoreError>) => Promise<A>

export interface Options {
  readonly records: Records["Service"]
  /** Called when a login's refresh token or grant is revoked. Idempotent. */
  readonly endLogin: (loginId: string) => Effect.Effect<void, SqlError | EventStoreError>
  readonly run: Run
}

/** Records per login. Beyond that the oldest are removed and count as unknown. */
export const mostOfLogin: Readonly<Record<string, number>> = { RefreshToken: 10, AccessToken: 20 }

/** Used records per login that are stored, to recognise their reuse. */
export const mostUsedOfLogin = 24

/** Kinds that the library destroys when a login is given back, or when a used token is presented again. */
const endingLogin: ReadonlySet<string> = new Set(["RefreshToken", "Grant"])

/** JSON, as the library reads and writes it. */
const payloadOf = (payload: AdapterPayload): Payload => {
  const { consumed: _consumed, jti: _jti, ...stored } = payload
  return JSON.parse(JSON.stringify(stored))
}

export const make =
  ({ endLogin, records, run }: Options) =>
  (model: string): Adapter => {
    if (model === "Session") return forgetful

    /** Not yet used, as far as the library sees: within the grace period, or when a crash lost the successor. */
    const isUsed = Effect.fnUntraced(function* ({ consumedAt, payload }: Found) {
      if (consumedAt === null || model !== "RefreshToken") return consumedAt !== null
      const now = yield* Clock.currentTimeMillis
      if (now < consumedAt + Lifetimes.refreshGrace * 1_000) return false
      const loginId = payload["accountId"]
      return typeof loginId !== "string" || (yield* records.isReplaced(model, loginId, consumedAt))
    })

    const find = Effect.fnUntraced(function* (id: string) {
      const found = yield* records.find({ model, id })
      if (found === null) return undefined
      const { consumedAt, payload } = found
      const stored: AdapterPayload = { ...payload, ...(model === "Client" ? {} : { jti: id }) }
      const consumed = (yield* isUsed(found)) && consumedAt !== null
      return consumed ? { ...stored, consumed: Math.floor(consumedAt / 1_000) } : stored
    })

    const put = Effect.fnUntraced(function* (id: string, payload: AdapterPayload, expiresIn: number) {
      const now = yield* Clock.currentTimeMillis
      const { accountId = null, clientId, grantId = null } = payload
      const most = mostOfLogin[model]
      yield* records.put({
        model,
        id,
        payload: payloadOf(payload),
        expiresAt: now + expiresIn * 1_000,
        grantId,
        loginId: accountId,
        ...(most === undefined ? {} : { most })
      })
      // Each new token prolongs its client.
      if (clientId !== undefined) {
        const expiresAt = now + Lifetimes.usedClient * 1_000
        yield* records.prolong({ model: "Client", id: clientId }, expiresAt)
      }
    })

    const consume = Effect.fnUntraced(function* (id: string) {
      const keepMs = (model === "RefreshToken" ? Lifetimes.usedRefreshToken : Lifetimes.code) * 1_000
      const isFirst = yield* records.consume({ model, id, keepMs, mostUsed: mostUsedOfLogin })
      return isFirst || model === "RefreshToken"
    })

    /** The login is ended first. If that fails, the caller can retry, because nothing else has changed. */
    const destroy = Effect.fnUntraced(function* (id: string) {
      const found = endingLogin.has(model) ? yield* records.find({ model, id }) : null
      const loginId = found?.payload["accountId"]
      if (typeof loginId === "string") yield* endLogin(loginId)
      yield* records.remove({ model, id })
    })

    return {
      find: (id) => run(find(id)),
      upsert: (id, payload, expiresIn = Lifetimes.unusedClient) => run(put(id, payload, expiresIn)),
      consume: async (id) => {
        const isTaken = await run(consume(id))
        if (!isTaken) throw new errors.InvalidGrant("authorization code already consumed")
      },
      destroy: (id) => run(destroy(id)),
      revokeByGrantId: (grantId) => run(records.removeOfGrant(model, grantId)),
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

/** What oidc-provider keeps, in `Records`. Sessions are not kept: nobody is signed in beyond one authorization. */
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Adapter, type AdapterPayload, errors } from "oidc-provider"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as Lifetimes from "./Lifetimes.ts"
import type { Found, Payload, Records } from "./Records.ts"

/** Runs to its end whatever becomes of the call: what a call has begun to store it stores. */
export type Run = <A>(effect: Effect.Effect<A, SqlError | EventStoreError>) => Promise<A>

export interface Options {
  readonly records: Records["Service"]
  /** Called when a refresh token or the grant of a login is revoked. Repeated it changes nothing. */
  readonly endLogin: (loginId: string) => Effect.Effect<void, SqlError | EventStoreError>
  readonly run: Run
}

/** Of a login. Beyond them the oldest go: whoever comes with one of those is told that it is none. */
export const mostOfLogin: Readonly<Record<string, number>> = { RefreshToken: 10, AccessToken: 20 }

/** Of a login, to be told from texts that are none. */
export const mostUsedOfLogin = 24

/** The library destroys them where their login is given back, or where one that was used comes again. */
const endingLogin: ReadonlySet<string> = new Set(["RefreshToken", "Grant"])

/** JSON, as the library writes and reads it. */
const payloadOf = (payload: AdapterPayload): Payload => {
  const { consumed: _consumed, jti: _jti, ...kept } = payload
  return JSON.parse(JSON.stringify(kept))
}

export const make =
  ({ endLogin, records, run }: Options) =>
  (model: string): Adapter => {
    if (model === "Session") return forgetful

    /** Within the grace it is as good as new; and where a crash came before the one in its place was stored. */
    const isUsed = Effect.fnUntraced(function* ({ consumedAt, payload }: Found) {
      if (consumedAt === null || model !== "RefreshToken") return consumedAt !== null
      const now = yield* Clock.currentTimeMillis
      if (now < consumedAt + Lifetimes.refreshGrace * 1_000) return false
      const loginId = payload["accountId"]
      return typeof loginId !== "string" || (yield* records.isReplaced({ model, loginId, consumedAt }))
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
      // With each token: a client that is used stays.
      if (clientId !== undefined) {
        const expiresAt = now + Lifetimes.usedClient * 1_000
        yield* records.prolong({ model: "Client", id: clientId, expiresAt })
      }
    })

    const consume = Effect.fnUntraced(function* (id: string) {
      const keepMs = (model === "RefreshToken" ? Lifetimes.usedRefreshToken : Lifetimes.code) * 1_000
      const isFirst = yield* records.consume({ model, id, keepMs, mostUsed: mostUsedOfLogin })
      return isFirst || model === "RefreshToken"
    })

    /** The login first: while that cannot be ended, whoever tries again finds all as it was. */
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

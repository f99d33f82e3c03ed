/** From an `Authorization` header to the caller behind it. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import * as Account from "#domain/account/Account.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { AccountActors } from "./AccountActors.ts"
import * as ApiKey from "./ApiKey.ts"
import type { Caller } from "./Caller.ts"

/** No header, another scheme, an unknown or a revoked key: told apart for nobody. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {}

const scheme = /^key +(\S+)$/i

/** Compared with when there is no such key, so that an unknown id takes as long as a wrong secret. */
const noSuchKey = ApiKey.sha256Hex("no such key")

export class Authentication extends Context.Service<
  Authentication,
  {
    /** `header` is `Key <keyId>:<secret>` (contract, "Authentication"). */
    authenticate(header: string | undefined): Effect.Effect<Caller, Unauthorized | EventStoreError>
  }
>()("inferlog/src/accounts/Authentication") {
  static readonly layer = Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const actors = yield* AccountActors

      const authenticate = Effect.fnUntraced(function* (header: string | undefined) {
        const presented = ApiKey.parse(scheme.exec(header ?? "")?.[1] ?? "")
        if (Option.isNone(presented)) return yield* new Unauthorized()
        const { keyId, secret } = presented.value
        const accountId = Account.accountOf(keyId, ApiKey.sha256Hex)
        const { state } = yield* actors.current(accountId)
        const key = state._tag === "Account" ? state.keys.get(keyId) : undefined
        const isRight = ApiKey.matches(secret, key?.secretHash ?? noSuchKey)
        if (!isRight || key === undefined || key.revokedAt !== null) return yield* new Unauthorized()
        return { accountId, keyId }
      })

      return Authentication.of({ authenticate })
    })
  )
}

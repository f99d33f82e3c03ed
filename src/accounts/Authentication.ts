/** From an `Authorization` header to the caller behind it. */
import { Context, Effect, Layer, Schema } from "effect"
import * as Account from "#domain/account/Account.ts"
import * as Grant from "#domain/account/Grant.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { Current } from "#streams/Actors.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import { AccountActors } from "./AccountActors.ts"
import * as ApiKey from "./ApiKey.ts"
import type { Caller } from "./Caller.ts"

/** No header, another scheme, an unknown or a revoked key: told apart for nobody. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {}

const knownKeys = 1_000

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

      /** Of an operator's key the account is found by a hash, the same each time. */
      const accountIds = RecentlyUsed.make<AccountId>({ capacity: knownKeys })
      const accountOf = (keyId: KeyId): AccountId => {
        const known = accountIds.get(keyId)
        if (known !== undefined) return known
        const accountId = Account.accountOf(keyId, ApiKey.sha256Hex)
        accountIds.set(keyId, accountId)
        return accountId
      }

      const judge = (
        presented: ApiKey.Presented,
        accountId: AccountId,
        { state }: Current<Account.State>
      ): Effect.Effect<Caller, Unauthorized> => {
        const { keyId } = presented
        const key = state._tag === "Account" ? state.keys.get(keyId) : undefined
        const isRight = ApiKey.matches(presented, key?.secretHash ?? noSuchKey)
        return !isRight || key === undefined || key.revokedAt !== null || state._tag !== "Account"
          ? Effect.fail(new Unauthorized())
          : Effect.succeed({ accountId, keyId, grant: Grant.unlimited, limits: state.limits })
      }

      const authenticate = (header: string | undefined) =>
        Effect.suspend(() => {
          const presented = ApiKey.present(scheme.exec(header ?? "")?.[1] ?? "")
          if (presented === null) return Effect.fail(new Unauthorized())
          const accountId = accountOf(presented.keyId)
          const known = actors.peek(accountId)
          return known === undefined
            ? Effect.flatMap(actors.current(accountId), (current) => judge(presented, accountId, current))
            : judge(presented, accountId, known)
        })

      return Authentication.of({ authenticate })
    })
  )
}

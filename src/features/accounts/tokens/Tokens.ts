/** Makes tokens for pages, which do at most what the key that makes them does. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import type { Origin } from "#domain/account/Origin.ts"
import type { RequestId } from "#domain/Ids.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import type { Caller } from "../Caller.ts"
import * as Token from "./Token.ts"

/** A token would do more than its key, in these fields. */
export class TokenExceedsKey extends Schema.TaggedError<TokenExceedsKey>()("TokenExceedsKey", {
  fields: Schema.Array(Schema.Literals(["models", "origins"]))
}) {}

export interface Wanted {
  readonly caller: Caller
  /** Of the secret that the caller was authenticated by. The token is bound to it, even if the key has a newer one by now. */
  readonly secretHash: string
  /** At most `Token.longestMs`. */
  readonly lifeMs: number
  readonly models: ReadonlyArray<ModelEndpoint> | null
  readonly request: RequestId | null
  readonly isReadOnly: boolean
  /** The account's name of a person: such tokens open each other's requests. `null`: only the token's own. */
  readonly user: string | null
  /** `undefined`: those of the key. */
  readonly origins: ReadonlyArray<Origin> | undefined
}

export interface Made {
  readonly text: string
  readonly claims: Token.Claims
}

export class Tokens extends Context.Service<
  Tokens,
  {
    /** A token that ends with the secret that the caller used, or with the key. Nothing is stored. */
    make(wanted: Wanted): Effect.Effect<Made, TokenExceedsKey>
  }
>()("inferlog/src/features/accounts/tokens/Tokens") {
  static readonly layer = Layer.effect(
    Tokens,
    Effect.gen(function* () {
      const masterKey = (yield* MasterKey).keyFor(Token.purpose)

      const make = Effect.fn("Tokens.make")(function* (wanted: Wanted) {
        const { caller, isReadOnly, lifeMs, models, request, secretHash, user } = wanted
        const { grant, keyId } = caller
        const { origins = grant.origins } = wanted
        const fields: Array<"models" | "origins"> = []
        if (models?.some((model) => !Grant.allowsModel(grant, model))) fields.push("models")
        if (!Grant.isWithin({ ...grant, origins }, grant)) fields.push("origins")
        if (fields.length > 0) return yield* new TokenExceedsKey({ fields })
        const now = yield* Clock.currentTimeMillis
        const expiresAt = Math.min(now + lifeMs, grant.expiresAt ?? Number.MAX_SAFE_INTEGER)
        const id = user === null ? Token.makeId() : Token.idOfUser(masterKey, caller.accountId, user)
        const claims = { id, expiresAt, models, request, isReadOnly, origins }
        return { text: Token.sign(masterKey, { keyId, secretHash }, claims), claims }
      })

      return Tokens.of({ make })
    })
  )
}

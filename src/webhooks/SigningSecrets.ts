/** The secrets that an account's webhooks are signed with (contract, "Webhook signing secret"). On the log they are sealed. */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

/** None of the account's secrets can be opened: they were sealed under another `MASTER_KEY`. */
export class SecretsUnreadable extends Schema.TaggedError<SecretsUnreadable>()("SecretsUnreadable", {}) {
  override readonly message =
    "The signing secrets of an account cannot be opened: they were sealed under another MASTER_KEY"
}

/** As many secrets as may be valid at once are. */
export class TooManySecrets extends Schema.TaggedError<TooManySecrets>()("TooManySecrets", {}) {}

export class SigningSecrets extends Context.Service<
  SigningSecrets,
  {
    /** `whsec_` and base64 text: the secret in force. An account that has none gets one, durably. */
    current(accountId: AccountId): Effect.Effect<Redacted.Redacted, SecretsUnreadable | EventStoreError>
    /** A new secret, in force at once. The one before signs beside it until `previousKeyExpiresAt`, Unix time in ms. */
    rotate(
      accountId: AccountId
    ): Effect.Effect<
      { readonly key: Redacted.Redacted; readonly previousKeyExpiresAt: number },
      TooManySecrets | EventStoreError
    >
    /** The value of `webhook-signature`: one signature for each secret that is valid at the time of the message. */
    sign(
      accountId: AccountId,
      message: {
        /** `webhook-id` */
        readonly id: string
        /** `webhook-timestamp`, Unix time in seconds. */
        readonly timestamp: number
        readonly body: Uint8Array
      }
    ): Effect.Effect<string, SecretsUnreadable | EventStoreError>
  }
>()("inferlog/src/webhooks/SigningSecrets") {}

/** The secrets that an account's webhooks are signed with (contract, "Webhook signing secret"). On the log they are sealed. */
import * as crypto from "node:crypto"
import { Clock, Context, Effect, Layer, Redacted, Result, Schema } from "effect"
import * as SigningSecret from "#domain/account/SigningSecret.ts"
import type { State } from "#domain/account/State.ts"
import type { AccountId } from "#domain/Ids.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { AccountClosed } from "#src/features/accounts/Accounts.ts"
import * as Rejections from "#src/features/accounts/Rejections.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as Sealing from "#src/kernel/secrets/Sealing.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as StandardWebhooks from "./StandardWebhooks.ts"

/** None of the account's secrets can be opened: they were sealed under another `MASTER_KEY`. */
export class SecretsUnreadable extends Schema.TaggedError<SecretsUnreadable>()("SecretsUnreadable", {}) {
  override readonly message =
    "The signing secrets of an account cannot be opened: they were sealed under another MASTER_KEY"
}

/** Secrets that are kept open, of all accounts. */
const mostOpened = 10_000

/** Accounts that are remembered as warned of. */
const mostWarned = 10_000

export class SigningSecrets extends Context.Service<
  SigningSecrets,
  {
    /** `whsec_` and base64 text: the secret in force. An account that has none gets one, durably. */
    current(accountId: AccountId): Effect.Effect<Redacted.Redacted, SecretsUnreadable | EventStoreError>
    /**
     * A new secret, in force at once. The one before signs beside it until `previousKeyExpiresAt`, Unix time in ms, which is
     * `graceMs` from now; `null` when none does. Of ten that are valid one gives way: those that cannot be opened go first,
     * then the oldest.
     */
    rotate(
      accountId: AccountId,
      graceMs: number
    ): Effect.Effect<
      { readonly key: Redacted.Redacted; readonly previousKeyExpiresAt: number | null },
      AccountClosed | EventStoreError
    >
    /**
     * The value of `webhook-signature`: one signature for each secret that is valid now and can be opened, newest first. An
     * account that has none gets one, also when it is closed. On another node than the one that rotated, the new secret
     * signs as soon as the log has been followed that far.
     */
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
>()("inferlog/src/features/webhooks/SigningSecrets") {
  static readonly layer = Layer.effect(
    SigningSecrets,
    Effect.gen(function* () {
      const actors = yield* AccountActors
      const sealingKey = (yield* MasterKey).keyFor("webhook signing secrets")

      /** By account and sealed text, so that a signature costs one HMAC; `null` for what cannot be opened. */
      const opened = RecentlyUsed.make<crypto.KeyObject | null>({ capacity: mostOpened })

      const warned = RecentlyUsed.make<true>({ capacity: mostWarned })

      /** Once for each account, however many of its secrets there are. */
      const warn = (accountId: AccountId) =>
        Effect.suspend(() => {
          if (warned.get(accountId) === true) return Effect.void
          warned.set(accountId, true)
          return Effect.logWarning(
            "Signing secrets of an account cannot be opened: they were sealed under another MASTER_KEY"
          ).pipe(Effect.annotateLogs({ account_id: accountId }))
        })

      const open = Effect.fnUntraced(function* (accountId: AccountId, sealed: string) {
        const name = `${accountId} ${sealed}`
        const known = opened.get(name)
        if (known !== undefined) return known
        const bytes = Sealing.open({ key: sealingKey, context: accountId }, sealed)
        const secret = Result.isSuccess(bytes) ? crypto.createSecretKey(bytes.success) : null
        opened.set(name, secret)
        if (secret === null) yield* warn(accountId)
        return secret
      })

      const make = (accountId: AccountId) => {
        const bytes = crypto.randomBytes(StandardWebhooks.secretLength)
        return {
          key: Redacted.make(StandardWebhooks.secretText(bytes)),
          sealed: Sealing.seal({ key: sealingKey, context: accountId }, bytes)
        }
      }

      const secretsOf = (state: State) => (state._tag === "Account" ? state.signingSecrets : [])

      /** Newest first, at least one. */
      const ensured = Effect.fnUntraced(function* (accountId: AccountId, state: State) {
        const secrets = secretsOf(state)
        if (secrets.length > 0) return secrets
        const at = yield* Clock.currentTimeMillis
        const { sealed } = make(accountId)
        const executed = yield* actors
          .execute(accountId, { _tag: "EnsureSigningSecret", at, sealed })
          .pipe(Rejections.none)
        return secretsOf(executed.state)
      })

      const current = Effect.fn("SigningSecrets.current")(function* (accountId: AccountId) {
        // Another node may have rotated a moment ago.
        const { state } = yield* actors.refresh(accountId)
        const [inForce] = yield* ensured(accountId, state)
        const secret = inForce === undefined ? null : yield* open(accountId, inForce.sealed)
        if (secret === null) return yield* new SecretsUnreadable()
        return Redacted.make(StandardWebhooks.secretText(secret.export()))
      })

      const rotate = Effect.fn("SigningSecrets.rotate")(function* (accountId: AccountId, graceMs: number) {
        // Another node may have rotated a moment ago.
        const before = yield* actors.refresh(accountId)
        const useless: Array<string> = []
        for (const { sealed } of secretsOf(before.state)) {
          if ((yield* open(accountId, sealed)) === null) useless.push(sealed)
        }
        const at = yield* Clock.currentTimeMillis
        const { key, sealed } = make(accountId)
        const { state } = yield* actors
          .execute(accountId, { _tag: "RotateSigningSecret", at, sealed, useless, graceMs })
          .pipe(Rejections.expect({ AccountClosed: () => new AccountClosed() }))
        return { key, previousKeyExpiresAt: secretsOf(state)[1]?.expiresAt ?? null }
      })

      /** Validity is of the wall clock: for a receiver who goes by it, the time of the message is now. */
      const sign = Effect.fnUntraced(function* (
        accountId: AccountId,
        message: Parameters<SigningSecrets["Service"]["sign"]>[1]
      ) {
        const { state } = actors.peek(accountId) ?? (yield* actors.current(accountId))
        const now = yield* Clock.currentTimeMillis
        const signatures: Array<string> = []
        for (const secret of yield* ensured(accountId, state)) {
          if (!SigningSecret.isValid(secret, now)) continue
          const key = yield* open(accountId, secret.sealed)
          if (key !== null) signatures.push(StandardWebhooks.signature(key, message))
        }
        return signatures.length === 0 ? yield* new SecretsUnreadable() : signatures.join(" ")
      })

      return SigningSecrets.of({ current, rotate, sign })
    })
  )
}

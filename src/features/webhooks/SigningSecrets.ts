/** The signing secrets of an account's webhooks (contract, "Webhook signing secret"), sealed on the log. */
import * as crypto from "node:crypto"
import { Clock, Context, Effect, Exit, Layer, Redacted, Result, Schema } from "effect"
import * as SigningSecret from "#domain/account/SigningSecret.ts"
import type { State } from "#domain/account/State.ts"
import type { AccountId } from "#domain/Ids.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { AccountClosed } from "#src/features/accounts/AccountErrors.ts"
import * as Rejections from "#src/features/accounts/Rejections.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as Sealing from "#src/kernel/secrets/Sealing.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as StandardWebhooks from "./StandardWebhooks.ts"

/** No secret of the account can be opened: they were sealed under another `MASTER_KEY`. */
export class SecretsUnreadable extends Schema.TaggedError<SecretsUnreadable>()("SecretsUnreadable", {}) {
  override readonly message =
    "The signing secrets of an account cannot be opened: they were sealed under another MASTER_KEY"
}

/** Opened secrets in memory, of all accounts. */
const mostOpened = 10_000

/** Accounts whose warning is remembered. */
const mostWarned = 10_000

export class SigningSecrets extends Context.Service<
  SigningSecrets,
  {
    /** `whsec_` and base64 text: the current secret. Creates one durably for an account without one. */
    current(accountId: AccountId): Effect.Effect<Redacted.Redacted, SecretsUnreadable | EventStoreError>
    /**
     * Replaces the secret at once. The previous one also signs until `previousKeyExpiresAt`, Unix time in ms, `graceMs`
     * from now; `null` without one. Beyond ten valid secrets one is dropped: an unreadable one, else the oldest.
     */
    rotate(
      accountId: AccountId,
      graceMs: number
    ): Effect.Effect<
      { readonly key: Redacted.Redacted; readonly previousKeyExpiresAt: number | null },
      AccountClosed | EventStoreError
    >
    /**
     * The value of `webhook-signature`: one signature for each valid, readable secret, newest first. Creates a secret
     * for an account without one, even if closed. Other nodes sign with a new secret as soon as they have followed the
     * log.
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
      const clock = yield* Clock.Clock
      const sealingKey = (yield* MasterKey).keyFor("webhook signing secrets")

      /** By account and sealed text, so that a signature costs one HMAC; `null` if unreadable. */
      const opened = RecentlyUsed.make<crypto.KeyObject | null>({ capacity: mostOpened })

      const warned = RecentlyUsed.make<true>({ capacity: mostWarned })

      /** Once for each account. */
      const warn = (accountId: AccountId) =>
        Effect.suspend(() => {
          if (warned.get(accountId) === true) return Effect.void
          warned.set(accountId, true)
          return Effect.logWarning(
            "Signing secrets of an account cannot be opened: they were sealed under another MASTER_KEY"
          ).pipe(Effect.annotateLogs({ account_id: accountId }))
        })

      const nameOf = (accountId: AccountId, sealed: string) => `${accountId} ${sealed}`

      const open = Effect.fnUntraced(function* (accountId: AccountId, sealed: string) {
        const name = nameOf(accountId, sealed)
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
        // Another node may just have rotated it.
        const { state } = yield* actors.refresh(accountId)
        const [inForce] = yield* ensured(accountId, state)
        const secret = inForce === undefined ? null : yield* open(accountId, inForce.sealed)
        if (secret === null) return yield* new SecretsUnreadable()
        return Redacted.make(StandardWebhooks.secretText(secret.export()))
      })

      const rotate = Effect.fn("SigningSecrets.rotate")(function* (accountId: AccountId, graceMs: number) {
        // Another node may just have rotated it.
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

      /** Whether a secret signs now. Validity uses the wall clock, as receivers do. */
      const signs = (secret: SigningSecret.SigningSecret) =>
        SigningSecret.isValid(secret, clock.currentTimeMillisUnsafe())

      /** `undefined` if a secret has not been opened. */
      const signed = (
        accountId: AccountId,
        secrets: ReadonlyArray<SigningSecret.SigningSecret>,
        message: StandardWebhooks.Message
      ) => {
        const signatures: Array<string> = []
        for (const secret of secrets) {
          if (!signs(secret)) continue
          const key = opened.get(nameOf(accountId, secret.sealed))
          if (key === undefined) return undefined
          if (key !== null) signatures.push(StandardWebhooks.signature(key, message))
        }
        return signatures.length === 0
          ? Exit.fail(new SecretsUnreadable())
          : Exit.succeed(signatures.join(" "))
      }

      const signNow = (accountId: AccountId, message: StandardWebhooks.Message) => {
        const known = actors.peek(accountId)
        const secrets = known === undefined ? [] : secretsOf(known.state)
        return secrets.length === 0 ? undefined : signed(accountId, secrets, message)
      }

      const signLater = Effect.fnUntraced(function* (
        accountId: AccountId,
        message: StandardWebhooks.Message
      ) {
        const { state } = actors.peek(accountId) ?? (yield* actors.current(accountId))
        const secrets = yield* ensured(accountId, state)
        for (const secret of secrets) if (signs(secret)) yield* open(accountId, secret.sealed)
        return yield* signed(accountId, secrets, message) ?? Exit.fail(new SecretsUnreadable())
      })

      const sign: SigningSecrets["Service"]["sign"] = (accountId, message) =>
        signNow(accountId, message) ?? signLater(accountId, message)

      return SigningSecrets.of({ current, rotate, sign })
    })
  )
}

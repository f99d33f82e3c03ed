/**
 * The secrets that an account's webhooks are signed with (contract, "Secret rotation"). They are sealed: nothing here can
 * open them.
 */
import { Result, Schema } from "effect"

/** How long the secret before signs beside a new one, ms (contract, "Limits"). */
export const previousValidityMs = 24 * 60 * 60 * 1_000

/** Secrets that are valid at once, at most (decisions, "Rotate"). */
export const mostValid = 10

/** Its names and fields are the storage format: add optional fields, never rename. */
export const SigningSecretRotated = Schema.TaggedStruct("SigningSecretRotated", {
  at: Schema.Int,
  sealed: Schema.String,
  /** Of the secret that was in force until now; absent when the account had none, or it was dropped. */
  previousExpiresAt: Schema.optionalKey(Schema.Int),
  /** The sealed texts of secrets that were of no use any more; absent when there were none. */
  dropped: Schema.optionalKey(Schema.Array(Schema.String))
})
export type SigningSecretRotated = typeof SigningSecretRotated.Type

export interface SigningSecret {
  readonly sealed: string
  /** Unix time in ms; `null` for the one in force. */
  readonly expiresAt: number | null
}

/** Whether it signs at `now`, Unix time in ms. */
export const isValid = ({ expiresAt }: SigningSecret, now: number): boolean =>
  expiresAt === null || now < expiresAt

const without = (secrets: ReadonlyArray<SigningSecret>, dropped: ReadonlyArray<string>) =>
  secrets.filter(({ sealed }) => !dropped.includes(sealed))

/**
 * A new secret for an account that has `secrets`, newest first. Those that are `useless` go where there would be too many:
 * before that they may be of use again, to whoever has the key that they were sealed under.
 */
export const rotate = (
  secrets: ReadonlyArray<SigningSecret>,
  options: { readonly at: number; readonly sealed: string; readonly useless: ReadonlyArray<string> }
): Result.Result<ReadonlyArray<SigningSecretRotated>, { readonly _tag: "TooManySigningSecrets" }> => {
  const { at, sealed, useless } = options
  const hasRoom = (some: ReadonlyArray<SigningSecret>) =>
    some.filter((secret) => isValid(secret, at)).length < mostValid
  const kept = hasRoom(secrets) ? secrets : without(secrets, useless)
  if (!hasRoom(kept)) return Result.fail({ _tag: "TooManySigningSecrets" })
  const dropped = secrets.filter((secret) => !kept.includes(secret)).map(({ sealed }) => sealed)
  return Result.succeed([
    {
      _tag: "SigningSecretRotated",
      at,
      sealed,
      ...(kept.some(({ expiresAt }) => expiresAt === null)
        ? { previousExpiresAt: at + previousValidityMs }
        : {}),
      ...(dropped.length === 0 ? {} : { dropped })
    }
  ])
}

/** Newest first. What was over by then, or dropped, is gone. */
export const rotated = (
  secrets: ReadonlyArray<SigningSecret>,
  { at, dropped = [], previousExpiresAt, sealed }: SigningSecretRotated
): ReadonlyArray<SigningSecret> => [
  { sealed, expiresAt: null },
  ...without(secrets, dropped)
    .map((secret) => ({ ...secret, expiresAt: secret.expiresAt ?? previousExpiresAt ?? at }))
    .filter((secret) => isValid(secret, at))
]

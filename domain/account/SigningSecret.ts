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
  /** Of the secret that was in force until now; absent when the account had none. */
  previousExpiresAt: Schema.optionalKey(Schema.Int)
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

/** A new secret for an account that has `secrets`, newest first. */
export const rotate = (
  secrets: ReadonlyArray<SigningSecret>,
  { at, sealed }: { readonly at: number; readonly sealed: string }
): Result.Result<ReadonlyArray<SigningSecretRotated>, { readonly _tag: "TooManySigningSecrets" }> => {
  if (secrets.filter((secret) => isValid(secret, at)).length >= mostValid) {
    return Result.fail({ _tag: "TooManySigningSecrets" })
  }
  const rotated = { _tag: "SigningSecretRotated", at, sealed } as const
  return Result.succeed([
    secrets.length === 0 ? rotated : { ...rotated, previousExpiresAt: at + previousValidityMs }
  ])
}

/** Newest first. What was over by then is gone. */
export const rotated = (
  secrets: ReadonlyArray<SigningSecret>,
  { at, previousExpiresAt, sealed }: SigningSecretRotated
): ReadonlyArray<SigningSecret> => [
  { sealed, expiresAt: null },
  ...secrets
    .map((secret) => ({ ...secret, expiresAt: secret.expiresAt ?? previousExpiresAt ?? at }))
    .filter((secret) => isValid(secret, at))
]

/**
 * The secrets that sign an account's webhooks (contract, "Secret rotation"). They are sealed, and the domain cannot open
 * them.
 */
import { Schema } from "effect"

/** How long previous secrets sign beside a new one, by default and at most, ms (contract, "Limits"). */
export const defaultGraceMs = 24 * 60 * 60 * 1_000

/** The most secrets that may be valid at once (decisions, "Rotate"). */
const maxValid = 10

/** Names and fields are the storage format: add optional fields, never rename. */
export const SigningSecretRotated = Schema.TaggedStruct("SigningSecretRotated", {
  at: Schema.Int,
  sealed: Schema.String,
  /** When previous secrets end at the latest. Absent when none of them stays valid. */
  previousExpiresAt: Schema.optionalKey(Schema.Int),
  /** The sealed texts of valid secrets that end at once. Absent when there are none. */
  dropped: Schema.optionalKey(Schema.Array(Schema.String))
})
export type SigningSecretRotated = typeof SigningSecretRotated.Type

export interface SigningSecret {
  readonly sealed: string
  /** Unix time in ms. `null` for the current one. */
  readonly expiresAt: number | null
}

/** Whether the secret signs at `now`, Unix time in ms. */
export const isValid = ({ expiresAt }: SigningSecret, now: number): boolean =>
  expiresAt === null || now < expiresAt

const without = (secrets: ReadonlyArray<SigningSecret>, dropped: ReadonlyArray<string>) =>
  secrets.filter(({ sealed }) => !dropped.includes(sealed))

/** The valid secrets, newest first, that stay beside a new one. When there are too many, the oldest ends. */
const fitting = (valid: ReadonlyArray<SigningSecret>, useless: ReadonlyArray<string>) =>
  valid.length < maxValid ? valid : without(valid, useless).slice(0, maxValid - 1)

/**
 * Adds a new secret to `secrets`, which are newest first. Previous ones sign beside it for at most `graceMs`. When there are
 * too many, the `useless` ones are dropped first. Until then they stay, because the master key that sealed them may return.
 */
export const rotate = (
  secrets: ReadonlyArray<SigningSecret>,
  options: {
    readonly at: number
    readonly sealed: string
    readonly useless: ReadonlyArray<string>
    readonly graceMs: number
  }
): SigningSecretRotated => {
  const { at, graceMs, sealed, useless } = options
  const valid = secrets.filter((secret) => isValid(secret, at))
  const retained = graceMs === 0 ? [] : fitting(valid, useless)
  const dropped = valid.filter((secret) => !retained.includes(secret)).map(({ sealed }) => sealed)
  return {
    _tag: "SigningSecretRotated",
    at,
    sealed,
    ...(retained.length === 0 ? {} : { previousExpiresAt: at + graceMs }),
    ...(dropped.length === 0 ? {} : { dropped })
  }
}

/** Newest first. Ended and dropped secrets are removed, and no secret outlives `previousExpiresAt`. */
export const rotated = (
  secrets: ReadonlyArray<SigningSecret>,
  { at, dropped = [], previousExpiresAt, sealed }: SigningSecretRotated
): ReadonlyArray<SigningSecret> => [
  { sealed, expiresAt: null },
  ...without(secrets, dropped)
    .map(({ expiresAt, sealed }) => ({
      sealed,
      expiresAt: Math.min(expiresAt ?? Infinity, previousExpiresAt ?? expiresAt ?? at)
    }))
    .filter((secret) => isValid(secret, at))
]

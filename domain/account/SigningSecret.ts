/**
 * The secrets that an account's webhooks are signed with (contract, "Secret rotation"). They are sealed: nothing here can
 * open them.
 */
import { Schema } from "effect"

/** How long the secrets before sign beside a new one: unless a rotation says otherwise, and at most, ms (contract, "Limits"). */
export const usualGraceMs = 24 * 60 * 60 * 1_000

/** Secrets that are valid at once, at most (decisions, "Rotate"). */
const mostValid = 10

/** Its names and fields are the storage format: add optional fields, never rename. */
export const SigningSecretRotated = Schema.TaggedStruct("SigningSecretRotated", {
  at: Schema.Int,
  sealed: Schema.String,
  /** When the secrets before are over at the latest; absent when none of them is kept. */
  previousExpiresAt: Schema.optionalKey(Schema.Int),
  /** The sealed texts of valid secrets that are over at once; absent when there are none. */
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

/** Those of `valid` ones, newest first, that stay beside a new one: the oldest gives way where there would be too many. */
const fitting = (valid: ReadonlyArray<SigningSecret>, useless: ReadonlyArray<string>) =>
  valid.length < mostValid ? valid : without(valid, useless).slice(0, mostValid - 1)

/**
 * A new secret for an account that has `secrets`, newest first. Those before sign beside it for `graceMs` more at most.
 * Where there would be too many, those that are `useless` go first: before that they may be of use again, to whoever has
 * the key that they were sealed under.
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
  const kept = graceMs === 0 ? [] : fitting(valid, useless)
  const dropped = valid.filter((secret) => !kept.includes(secret)).map(({ sealed }) => sealed)
  return {
    _tag: "SigningSecretRotated",
    at,
    sealed,
    ...(kept.length === 0 ? {} : { previousExpiresAt: at + graceMs }),
    ...(dropped.length === 0 ? {} : { dropped })
  }
}

/** Newest first. What was over by then, or dropped, is gone; what would last longer than the one before ends with it. */
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

/** One API key of an account: its grant, its lifetime and its secrets. */
import type { NewKey } from "./Command.ts"
import type { KeyIssued, KeyRotated } from "./Event.ts"
import * as Grant from "./Grant.ts"

/** The most keys of an account that may be valid at once (decisions, "Platform routes"). */
export const maxValid = 100

/**
 * The most keys that an account may ever have when another key issues them (decisions, "Platform routes"). All of them stay
 * on the log, and in memory while the account is used. The operator may issue more.
 */
export const maxEver = 10_000

/** The longest time that a previous secret may stay valid after a rotation, ms. */
export const maxGraceMs = 7 * 24 * 60 * 60 * 1_000

export interface Key extends NewKey {
  readonly grant: Grant.Grant
  /** The previous secret and when it ends. Only the current and this secret open the key. */
  readonly previous: { readonly secretHash: string; readonly expiresAt: number } | null
  /** Unix time in ms, like all times here. */
  readonly issuedAt: number
  readonly rotatedAt: number | null
  readonly revokedAt: number | null
}

/** Whether the key is neither revoked nor expired at `now`. */
export const isValid = ({ grant, revokedAt }: Key, now: number): boolean =>
  revokedAt === null && !Grant.isExpired(grant, now)

/** Whether the previous secret is valid at `now`. */
export const isInGrace = ({ previous }: Key, now: number): boolean =>
  previous !== null && now < previous.expiresAt

/**
 * The fields that differ from `unlimited`. A field absent from an event means all rights of that field, also ones added
 * later.
 */
export const limitsOf = ({
  expiresAt,
  modelEndpoints,
  monthlyBudget,
  origins,
  scopes
}: Grant.Grant): Pick<KeyIssued, keyof Grant.Grant> => ({
  ...(!Grant.unlimited.scopes.every((scope) => scopes.includes(scope)) && { scopes }),
  ...(modelEndpoints !== null && { modelEndpoints }),
  ...(monthlyBudget !== null && { monthlyBudget }),
  ...(expiresAt !== null && { expiresAt }),
  ...(origins !== null && { origins })
})

export const grantFields = ["scopes", "modelEndpoints", "monthlyBudget", "expiresAt", "origins"] as const

/** The fields in which `grant` gives more than `own`, the grant of the issuing key. */
export const exceeding = (grant: Grant.Grant, own: Grant.Grant): ReadonlyArray<keyof Grant.Grant> =>
  grantFields.filter((field) => !Grant.isWithin({ ...own, [field]: grant[field] }, own))

export const issued = ({ at, keyId, name, secretHash, ...event }: KeyIssued): Key => ({
  keyId,
  name,
  secretHash,
  grant: grantOf(event),
  previous: null,
  issuedAt: at,
  rotatedAt: null,
  revokedAt: null
})

const grantOf = ({
  expiresAt = Grant.unlimited.expiresAt,
  modelEndpoints = Grant.unlimited.modelEndpoints,
  monthlyBudget = Grant.unlimited.monthlyBudget,
  origins = Grant.unlimited.origins,
  scopes = Grant.unlimited.scopes
}: Partial<Grant.Grant>): Grant.Grant => ({ scopes, modelEndpoints, monthlyBudget, expiresAt, origins })

export const rotated = (key: Key, { at, previousExpiresAt, secretHash }: KeyRotated): Key => ({
  ...key,
  secretHash,
  previous: previousExpiresAt > at ? { secretHash: key.secretHash, expiresAt: previousExpiresAt } : null,
  rotatedAt: at
})

/** A key that is already revoked keeps its first time. */
export const revoked = (key: Key, at: number): Key => ({ ...key, revokedAt: key.revokedAt ?? at })

/** One API key of an account: what it may do, until when, and which secrets open it. */
import type { NewKey } from "./Command.ts"
import type { KeyIssued, KeyRotated } from "./Event.ts"
import * as Grant from "./Grant.ts"

/** Keys of an account that are neither revoked nor expired, at most (decisions, "Platform routes"). */
export const mostValid = 100

/**
 * Keys that an account may have had over its life when one of them issues another (decisions, "Platform routes"): all of them stay on the log,
 * and in memory while the account is used. Its operator issues more.
 */
export const mostEver = 10_000

/** How long the secret before may stay good after a rotation, ms. */
export const longestGraceMs = 7 * 24 * 60 * 60 * 1_000

export interface Key extends NewKey {
  readonly grant: Grant.Grant
  /** The secret before the one in force, with when it is good no more; at most these two open the key. */
  readonly previous: { readonly secretHash: string; readonly expiresAt: number } | null
  /** Unix time in ms, as all times here. */
  readonly issuedAt: number
  readonly rotatedAt: number | null
  readonly revokedAt: number | null
}

/** Whether it opens anything at `now`, by whichever secret. */
export const isValid = ({ grant, revokedAt }: Key, now: number): boolean =>
  revokedAt === null && !Grant.isExpired(grant, now)

/** Whether the secret before the one in force is good at `now`. */
export const isInGrace = ({ previous }: Key, now: number): boolean =>
  previous !== null && now < previous.expiresAt

/** What is less than everything. Absent from an event, it is everything there ever will be. */
export const limitsOf = ({
  expiresAt,
  modelEndpoints,
  monthlyBudget,
  scopes
}: Grant.Grant): Pick<KeyIssued, "scopes" | "modelEndpoints" | "monthlyBudget" | "expiresAt"> => ({
  ...(!Grant.unlimited.scopes.every((scope) => scopes.includes(scope)) && { scopes }),
  ...(modelEndpoints !== null && { modelEndpoints }),
  ...(monthlyBudget !== null && { monthlyBudget }),
  ...(expiresAt !== null && { expiresAt })
})

export const grantFields = ["scopes", "modelEndpoints", "monthlyBudget", "expiresAt"] as const

/** In which ways `grant` gives more than `own`, which is the grant of whoever gives it. */
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
  scopes = Grant.unlimited.scopes
}: Partial<Grant.Grant>): Grant.Grant => ({ scopes, modelEndpoints, monthlyBudget, expiresAt })

export const rotated = (key: Key, { at, previousExpiresAt, secretHash }: KeyRotated): Key => ({
  ...key,
  secretHash,
  previous: previousExpiresAt > at ? { secretHash: key.secretHash, expiresAt: previousExpiresAt } : null,
  rotatedAt: at
})

/** Revoked before, it was at that time. */
export const revoked = (key: Key, at: number): Key => ({ ...key, revokedAt: key.revokedAt ?? at })

/** What an API key may do, and how much (decisions, "Platform routes"). */
import { Schema } from "effect"
import { ModelEndpoint } from "../ModelEndpoint.ts"
import { NanoUsd } from "../Money.ts"

export const Scope = Schema.Literals([
  "requests:write",
  "requests:read",
  "files:write",
  "files:read",
  "webhooks:read",
  "webhooks:write",
  "billing:read",
  "keys:admin"
])
export type Scope = typeof Scope.Type

export const Grant = Schema.Struct({
  scopes: Schema.Array(Scope),
  /** Whose requests it may submit and see; `null`: every model's. */
  modelEndpoints: Schema.NullOr(Schema.Array(ModelEndpoint)),
  /** What its requests may cost in a calendar month (UTC), nano-USD; `null`: as much as the account has. */
  monthlyBudget: Schema.NullOr(NanoUsd),
  /** From then on it is no key any more, Unix time in ms; `null`: never. */
  expiresAt: Schema.NullOr(Schema.Int)
})
export type Grant = typeof Grant.Type

/** Of operators' keys, and of those that were issued before keys had grants. */
export const unlimited: Grant = {
  scopes: Scope.literals,
  modelEndpoints: null,
  monthlyBudget: null,
  expiresAt: null
}

export const allowsModel = ({ modelEndpoints }: Grant, model: string): boolean =>
  modelEndpoints === null || modelEndpoints.some((allowed) => allowed === model)

export const isExpired = ({ expiresAt }: Grant, now: number): boolean =>
  expiresAt !== null && expiresAt <= now

/** Whether `grant` gives nothing that `other` does not: nobody issues more than their own key has. */
export const isWithin = (grant: Grant, other: Grant): boolean =>
  grant.scopes.every((scope) => other.scopes.includes(scope)) &&
  (other.modelEndpoints === null ||
    (grant.modelEndpoints?.every((model) => allowsModel(other, model)) ?? false)) &&
  isAtMost(grant.monthlyBudget, other.monthlyBudget) &&
  isAtMost(grant.expiresAt, other.expiresAt)

const isAtMost = <A extends bigint | number>(value: A | null, most: A | null): boolean =>
  most === null || (value !== null && value <= most)

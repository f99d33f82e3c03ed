/** The rights of an API key (decisions, "Platform routes"). */
import { Schema } from "effect"
import { ModelEndpoint } from "../ModelEndpoint.ts"
import { NanoUsd } from "../Money.ts"
import { Origin } from "./Origin.ts"

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
  /** Models whose requests the key may submit and read. `null`: every model. */
  modelEndpoints: Schema.NullOr(Schema.Array(ModelEndpoint)),
  /** The most its requests may cost in a calendar month (UTC), nano-USD. `null`: no limit of its own. */
  monthlyBudget: Schema.NullOr(NanoUsd),
  /** When the key ends, Unix time in ms. `null`: never. */
  expiresAt: Schema.NullOr(Schema.Int),
  /**
   * Origins of web pages that may use the key, and that its keys and tokens may name. `null`: no page may use it, and its
   * keys and tokens may name any.
   */
  origins: Schema.NullOr(Schema.Array(Origin))
})
export type Grant = typeof Grant.Type

/** The grant of operators' keys, and of keys issued before grants existed. */
export const unlimited: Grant = {
  scopes: Scope.literals,
  modelEndpoints: null,
  monthlyBudget: null,
  expiresAt: null,
  origins: null
}

export const allowsModel = ({ modelEndpoints }: Grant, model: string): boolean =>
  modelEndpoints === null || modelEndpoints.some((allowed) => allowed === model)

export const allowsOrigin = ({ origins }: Grant, origin: string): boolean =>
  origins?.some((allowed) => allowed === origin) ?? false

export const isExpired = ({ expiresAt }: Grant, now: number): boolean =>
  expiresAt !== null && expiresAt <= now

/** Whether `grant` includes no right that `other` lacks. A key can issue only such grants. */
export const isWithin = (grant: Grant, other: Grant): boolean =>
  grant.scopes.every((scope) => other.scopes.includes(scope)) &&
  (other.modelEndpoints === null ||
    (grant.modelEndpoints?.every((model) => allowsModel(other, model)) ?? false)) &&
  isAtMost(grant.monthlyBudget, other.monthlyBudget) &&
  isAtMost(grant.expiresAt, other.expiresAt) &&
  (other.origins === null || (grant.origins?.every((origin) => allowsOrigin(other, origin)) ?? false))

const isAtMost = <A extends bigint | number>(value: A | null, most: A | null): boolean =>
  most === null || (value !== null && value <= most)

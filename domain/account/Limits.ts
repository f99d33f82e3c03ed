/** The limits of an account, set by the operator. */
import { Schema } from "effect"
import { NanoUsd, zero } from "../Money.ts"

/** A bucket of `requests` tokens that refills in `windowSeconds`. */
export const Rate = Schema.Struct({
  requests: Schema.Int,
  windowSeconds: Schema.Int
})
export type Rate = typeof Rate.Type

export const Limits = Schema.Struct({
  /** How far the available balance may go below zero, nano-USD. */
  creditLimit: NanoUsd,
  /** The most requests that have not ended. `null`: unlimited. */
  maxOpenRequests: Schema.NullOr(Schema.Int),
  /** The most bytes of files. `null`: no quota of its own. */
  maxStoredBytes: Schema.NullOr(Schema.Int),
  /** Calls of all its keys together, on each node. `null`: unlimited. */
  accountRate: Schema.NullOr(Rate),
  /** Calls of each of its keys, on each node. `null`: unlimited. */
  keyRate: Schema.NullOr(Rate),
  /** The most open event streams on each node. `null`: `defaultStreams`. */
  maxStreams: Schema.NullOr(Schema.Int)
})
export type Limits = typeof Limits.Type

/** The limits that a submit is checked against. */
export type RequestLimits = Pick<Limits, "creditLimit" | "maxOpenRequests">

/** The limits of an account until the operator sets some. */
export const noLimits: Limits = {
  creditLimit: zero,
  maxOpenRequests: null,
  maxStoredBytes: null,
  accountRate: null,
  keyRate: null,
  maxStreams: null
}

export const defaultStreams = 10_000

export const isSame = (a: Limits, b: Limits): boolean =>
  a.creditLimit === b.creditLimit &&
  a.maxOpenRequests === b.maxOpenRequests &&
  a.maxStoredBytes === b.maxStoredBytes &&
  isSameRate(a.accountRate, b.accountRate) &&
  isSameRate(a.keyRate, b.keyRate) &&
  a.maxStreams === b.maxStreams

const isSameRate = (a: Rate | null, b: Rate | null): boolean =>
  a?.requests === b?.requests && a?.windowSeconds === b?.windowSeconds

/** What an account may at most, as its operator has set it. */
import { Schema } from "effect"
import { NanoUsd, zero } from "../Money.ts"

/** A bucket of `requests` tokens, which fills up in `windowSeconds`. */
export const Rate = Schema.Struct({
  requests: Schema.Int,
  windowSeconds: Schema.Int
})
export type Rate = typeof Rate.Type

export const Limits = Schema.Struct({
  /** How far below zero what is available may go, nano-USD. */
  creditLimit: NanoUsd,
  /** Requests that have not ended, at most; `null`: any number. */
  maxOpenRequests: Schema.NullOr(Schema.Int),
  /** Bytes that its files may take up; `null`: no quota of its own. */
  maxStoredBytes: Schema.NullOr(Schema.Int),
  /** Calls of all its keys together, on each node; `null`: any number. */
  accountRate: Schema.NullOr(Rate),
  /** Calls of each of its keys, on each node; `null`: any number. */
  keyRate: Schema.NullOr(Rate),
  /** Event streams that it may have open at once, on each node; `null`: as many as anybody (`defaultStreams`). */
  maxStreams: Schema.NullOr(Schema.Int)
})
export type Limits = typeof Limits.Type

/** Those that a submit is held against. */
export type RequestLimits = Pick<Limits, "creditLimit" | "maxOpenRequests">

/** Of an account for which nobody set any. */
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

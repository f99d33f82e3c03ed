/** Parses rates, and formats limits for output. */
import { Option } from "effect"
import { defaultStreams, type Rate } from "#domain/account/Limits.ts"
import * as Money from "#domain/Money.ts"
import type { AccountLimits } from "#src/edges/admin/accounts/AccountOperations.ts"
import * as ByteSize from "#src/kernel/settings/ByteSize.ts"
import * as Output from "#src/cli/Output.ts"

type Limits = typeof AccountLimits.Type

/** The limits in a list of accounts. */
type Listed = Pick<Limits, "creditLimit" | "maxOpenRequests" | "maxStoredBytes">

/** `null` means no limit for `maxOpenRequests`, and `STORAGE_QUOTA` for `maxStoredBytes`. */
export const listedForPrograms = ({ creditLimit, maxOpenRequests, maxStoredBytes }: Listed) => ({
  creditLimit: Money.format(creditLimit),
  maxOpenRequests,
  maxStoredBytes
})

/** `null` means no limit of calls, and 10,000 streams. */
export const forPrograms = ({ accountRate, keyRate, maxStreams, ...limits }: Limits) => ({
  ...listedForPrograms(limits),
  accountRate,
  keyRate,
  maxStreams
})

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }

/** Parses calls per time, such as `100/60s`. */
export const parseRate = (text: string): Option.Option<Rate> => {
  const match = /^(\d{1,7})\/(\d{1,5})([smh])$/.exec(text)
  if (match === null) return Option.none()
  const [, requests, count, unit = "s"] = match
  return Option.some({
    requests: Number(requests),
    windowSeconds: Number(count) * (secondsOf[unit] ?? Number.NaN)
  })
}

export const rate = (rate: Rate | null): string =>
  rate === null ? "any number" : `${Output.count(rate.requests)}/${rate.windowSeconds}s`

export const streams = ({ maxStreams }: Limits): string => Output.count(maxStreams ?? defaultStreams)

export const openRequests = ({ maxOpenRequests }: Listed): string =>
  maxOpenRequests === null ? "any number" : Output.count(maxOpenRequests)

export const stored = ({ maxStoredBytes }: Listed): string =>
  maxStoredBytes === null ? "default" : ByteSize.format(maxStoredBytes)

/**
 * Rate limits of failed sign-ins on this node, in memory. A password attempt takes tokens when it begins, since checking it is
 * costly, and returns them on success. A key cannot be guessed and is cheap to check, so only a wrong key takes tokens.
 */
import type { Rate } from "#domain/account/Limits.ts"
import * as TokenBucket from "#src/kernel/limits/TokenBucket.ts"
import * as TokenBuckets from "#src/kernel/limits/TokenBuckets.ts"
import { groupOf, privateAddresses } from "#src/edges/http/edge/AddressGroup.ts"

/** Per public IPv4 address or IPv6 /64 (one customer of an access provider), for each kind of credential. */
export const ofAddress: Rate = { requests: 30, windowSeconds: 10 * 60 }

/** All private addresses together, for each kind: one may be a proxy with every client behind it. */
const ofHouse: Rate = { requests: 100, windowSeconds: 10 * 60 }

/** Per account, with its password: 960 guesses a day. */
const ofAccount: Rate = { requests: 10, windowSeconds: 15 * 60 }

/** Passwords of all accounts: 120 a minute, which use less than half a core, with up to 30 waiting. */
const ofPasswords: Rate = { requests: 30, windowSeconds: 15 }

/** Buckets in memory. `ofPasswords` cannot touch enough other buckets to evict one before it is full again. */
const mostAccounts = 4_000
const mostAddresses = 20_000

export interface Attempt {
  /** `null` for a wrong key. Names that cannot be an account's share one value. */
  readonly account: string | null
  /** `""` when unknown. */
  readonly clientAddress: string
}

type Taken =
  | { readonly _tag: "Taken"; readonly giveBack: () => void }
  /** Nothing was taken. `retryAfterSeconds` is at least 1. */
  | { readonly _tag: "Refused"; readonly retryAfterSeconds: number }

export interface SignInLimits {
  /** @param now ms of a clock that is never set back. */
  readonly take: (attempt: Attempt, now: number) => Taken
}

export const make = (): SignInLimits => {
  const addresses = TokenBuckets.make(mostAddresses)
  const accounts = TokenBuckets.make(mostAccounts)
  const passwords = TokenBucket.full(ofPasswords, 0)

  const bucketsOf = ({ account, clientAddress }: Attempt, now: number) => {
    TokenBucket.refill(passwords, ofPasswords, now)
    const source = groupOf(clientAddress)
    const kind = account === null ? "key" : "password"
    return [
      addresses(`${kind} ${source}`, source === privateAddresses ? ofHouse : ofAddress, now),
      ...(account === null ? [] : [accounts(account, ofAccount, now), passwords])
    ]
  }

  return {
    take: (attempt, now) => {
      const buckets = bucketsOf(attempt, now)
      const waitSeconds = TokenBuckets.takeOfAll(buckets)
      if (waitSeconds > 0) return { _tag: "Refused", retryAfterSeconds: waitSeconds }
      return { _tag: "Taken", giveBack: () => buckets.forEach(TokenBucket.giveBack) }
    }
  }
}

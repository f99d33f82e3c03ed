/**
 * How often somebody may fail to sign in, on this node. All of it is in memory: after a start nobody has failed.
 *
 * A password is costly to check. So what is taken when an attempt begins is given back when it succeeds: failures alone count,
 * and those that run at once cannot get past. A key is checked by a hash and cannot be guessed. So it is looked at first, and
 * only one that is wrong takes something: whoever fails keeps nobody else from signing in with a key.
 */
import type { Rate } from "#domain/account/Limits.ts"
import * as TokenBucket from "#src/features/accounts/TokenBucket.ts"
import * as TokenBuckets from "#src/features/accounts/TokenBuckets.ts"
import { groupOf, privateAddresses } from "#src/edges/http/edge/AddressGroup.ts"

/** From one public address, or one /64 of IPv6, which is what one customer of a provider has. Of each kind. */
export const ofAddress: Rate = { requests: 30, windowSeconds: 10 * 60 }

/**
 * From all addresses that are not public together, of each kind: behind one of them stands a proxy with everybody behind it, or
 * somebody of the house.
 */
const ofHouse: Rate = { requests: 100, windowSeconds: 10 * 60 }

/** With one account's password: 960 guesses a day. */
const ofAccount: Rate = { requests: 10, windowSeconds: 15 * 60 }

/** With passwords of all accounts: 120 a minute, which keep less than half a processor busy, and 30 that wait for their turn. */
const ofPasswords: Rate = { requests: 30, windowSeconds: 15 }

/** Buckets that are kept, and half as many of those used last: too many for `ofPasswords` to empty one before it is full again. */
const mostAccounts = 4_000
const mostAddresses = 20_000

export interface Attempt {
  /** `null` for a key that was wrong. Of several names that can be no account's it is all the same. */
  readonly account: string | null
  /** `""` when unknown. */
  readonly clientAddress: string
}

type Taken =
  | { readonly _tag: "Taken"; readonly giveBack: () => void }
  /** Nothing was taken. Whole seconds, at least 1. */
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

/** `accountOperations` on the log. */
import { Effect } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { NanoUsd, zero } from "#domain/Money.ts"
import { Keys } from "#projections/keys/Keys.ts"
import * as Ledger from "#projections/ledger/Ledger.ts"
import { Projections } from "#projections/Projections.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { AccountErasing, TakesRequests } from "#src/features/retention/AccountErasing.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import * as Pages from "../Pages.ts"
import type { LocalOperations } from "../Operations.ts"
import type { accountOperations, Balance } from "./AccountOperations.ts"

const noEntry: Ledger.Balance = { balance: zero, reserved: zero, updatedAt: null }

const balanceOf = (accountId: AccountId, entry: Ledger.Balance, isCurrent: boolean): Balance => ({
  accountId,
  balance: entry.balance,
  reserved: entry.reserved,
  available: NanoUsd.make(entry.balance - entry.reserved),
  updatedAt: entry.updatedAt,
  isCurrent
})

export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const passwords = yield* Passwords
  const erasing = yield* AccountErasing
  const goesOn = yield* TakesRequests
  const keys = yield* Keys
  const ledger = yield* Ledger.Ledger
  const projections = yield* Projections
  const reader = yield* EventReader

  /** Whether the projection reaches the head that the log had at the time of the call. */
  const reachesHead = (projection: string) =>
    Effect.flatMap(reader.head, (head) => projections.waitFor(head, { projection }))

  const currentBalance = Effect.fnUntraced(function* (accountId: AccountId) {
    const isCurrent = yield* reachesHead("ledger")
    return balanceOf(accountId, yield* ledger.balance(accountId), isCurrent)
  })

  /** The balance from the ledger while the log is unavailable. Fails for an account without any payment. */
  const lastBalance = Effect.fnUntraced(function* (accountId: AccountId, error: EventStoreError) {
    const balance = yield* ledger.balance(accountId)
    return balance.updatedAt === null ? yield* error : balanceOf(accountId, balance, false)
  })

  const operations: LocalOperations<typeof accountOperations> = {
    showBalance: Effect.fnUntraced(function* ({ accountId }) {
      // The ledger has no entry for an account without any payment, so the log decides whether the account exists.
      return yield* Effect.andThen(accounts.limits(accountId), currentBalance(accountId)).pipe(
        Effect.catchTag("EventStoreError", (error) => lastBalance(accountId, error))
      )
    }),
    topUp: Effect.fnUntraced(function* (payment) {
      const { applied } = yield* accounts.topUp(payment)
      return { applied, balance: yield* currentBalance(payment.accountId) }
    }),
    listAccounts: Effect.fnUntraced(function* ({ after, limit }) {
      const isCurrent = (yield* reachesHead("keys")) && (yield* reachesHead("ledger"))
      const { data, next } = yield* Pages.read(
        limit,
        (limit) => keys.accounts({ after, limit }),
        ({ accountId }) => accountId
      )
      const found = yield* ledger.balances({ accountIds: data.map(({ accountId }) => accountId) })
      const balances = new Map(found.map((balance) => [balance.accountId, balance]))
      const withBalance = data.map((entry) => ({
        ...entry,
        ...balanceOf(entry.accountId, balances.get(entry.accountId) ?? noEntry, isCurrent)
      }))
      return { data: withBalance, next }
    }),
    showLimits: ({ accountId }) => accounts.limits(accountId),
    changeLimits: ({ accountId, ...limits }) => accounts.changeLimits({ accountId, limits }),
    setPassword: (options) => passwords.set(options),
    eraseAccount: Effect.fnUntraced(function* ({ accountId, round }) {
      yield* erasing.close(accountId)
      return { round: yield* erasing.step(accountId, round), goesOn }
    })
  }
  return operations
})

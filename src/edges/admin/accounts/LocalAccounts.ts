/** `Operations` in the process that holds the log. */
import { Effect } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { NanoUsd, zero } from "#domain/Money.ts"
import { Keys } from "#projections/keys/Keys.ts"
import * as Ledger from "#projections/ledger/Ledger.ts"
import { Projections } from "#projections/Projections.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import { AdministrationFailed } from "../AdministrationFailed.ts"
import type { Balance } from "./AccountOperations.ts"
import type { Administration } from "../Administration.ts"

type Operations = Administration["Service"]

/** Accounts that a page lists at most. */
const pageSize = 1_000

const failed = (error: { readonly message: string }) => new AdministrationFailed({ reason: error.message })

const noEntry: Ledger.Balance = { balance: zero, reserved: zero, updatedAt: null }

const balanceOf = (
  accountId: AccountId,
  { balance, reserved, updatedAt }: Ledger.Balance,
  isCurrent: boolean
): Balance => ({
  accountId,
  balance,
  reserved,
  available: NanoUsd.make(balance - reserved),
  updatedAt,
  isCurrent
})

export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const passwords = yield* Passwords
  const keys = yield* Keys
  const ledger = yield* Ledger.Ledger
  const projections = yield* Projections
  const reader = yield* EventReader

  /** Whether the projection has everything that was on the log when this began. */
  const reachesHead = (projection: string) =>
    Effect.flatMap(reader.head, (head) => projections.waitFor(head, { projection }))

  const currentBalance = Effect.fnUntraced(function* (accountId: AccountId) {
    const isCurrent = yield* reachesHead("ledger")
    return balanceOf(accountId, yield* ledger.balance(accountId), isCurrent)
  })

  /** While the log is away: what the ledger has of an account that somebody paid into. */
  const lastBalance = Effect.fnUntraced(function* (accountId: AccountId, error: EventStoreError) {
    const balance = yield* ledger.balance(accountId)
    return balance.updatedAt === null ? yield* error : balanceOf(accountId, balance, false)
  })

  const showBalance: Operations["showBalance"] = Effect.fn("Administration.showBalance")(
    function* ({ accountId }) {
      // The ledger does not know accounts that nobody paid into.
      return yield* Effect.andThen(accounts.limits(accountId), currentBalance(accountId)).pipe(
        Effect.catchTag("EventStoreError", (error) => lastBalance(accountId, error))
      )
    },
    Effect.catchTag(["EventStoreError", "SqlError"], failed)
  )

  const topUp: Operations["topUp"] = Effect.fn("Administration.topUp")(
    function* (payment) {
      const { applied } = yield* accounts.topUp(payment)
      return { applied, balance: yield* currentBalance(payment.accountId) }
    },
    Effect.catchTag(["EventStoreError", "SqlError"], failed)
  )

  const listAccounts: Operations["listAccounts"] = Effect.fn("Administration.listAccounts")(
    function* ({ after }) {
      const isCurrent = (yield* reachesHead("keys")) && (yield* reachesHead("ledger"))
      const page = yield* keys.accounts({ after, limit: pageSize })
      const found = yield* ledger.balances({ accountIds: page.map(({ accountId }) => accountId) })
      const balances = new Map(found.map((balance) => [balance.accountId, balance]))
      return page.map((entry) => ({
        ...entry,
        ...balanceOf(entry.accountId, balances.get(entry.accountId) ?? noEntry, isCurrent)
      }))
    },
    Effect.catchTag(["EventStoreError", "SqlError"], failed)
  )

  const showLimits: Operations["showLimits"] = Effect.fn("Administration.showLimits")(
    ({ accountId }) => accounts.limits(accountId),
    Effect.catchTag("EventStoreError", failed)
  )

  const changeLimits: Operations["changeLimits"] = Effect.fn("Administration.changeLimits")(
    ({ accountId, ...limits }) => accounts.changeLimits({ accountId, limits }),
    Effect.catchTag("EventStoreError", failed)
  )

  const setPassword: Operations["setPassword"] = Effect.fn("Administration.setPassword")(
    (options) => passwords.set(options),
    Effect.catchTag("EventStoreError", failed)
  )

  return { showBalance, topUp, listAccounts, showLimits, changeLimits, setPassword }
})

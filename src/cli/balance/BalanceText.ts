import { Console, Effect } from "effect"
import * as Money from "#domain/Money.ts"
import type { Balance } from "#src/edges/admin/accounts/AccountOperations.ts"
import * as Output from "#src/cli/Output.ts"

export const currency = "USD"

export const usd = (amount: Money.NanoUsd): string => `${Money.format(amount)} ${currency}`

/** `isCurrent` is false when the amounts miss the latest changes. */
export const forPrograms = (account: Omit<Balance, "accountId">) => ({
  balance: Money.format(account.balance),
  reserved: Money.format(account.reserved),
  available: Money.format(account.available),
  currency,
  updatedAt: Output.timeOrNull(account.updatedAt),
  isCurrent: account.isCurrent
})

export const forPeople = (balance: Balance): string =>
  Output.table(
    ["account", balance.accountId],
    [
      ["balance", usd(balance.balance)],
      ["reserved", usd(balance.reserved)],
      ["available", usd(balance.available)],
      ["updated", Output.timeOrNull(balance.updatedAt) ?? "-"]
    ]
  )

export const warn = ({ isCurrent }: { readonly isCurrent: boolean }): Effect.Effect<void> =>
  isCurrent
    ? Effect.void
    : Console.error("The ledger lags, so the latest changes are missing: see 'inferlog projections list'")

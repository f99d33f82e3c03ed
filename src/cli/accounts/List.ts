import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { AccountId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import type { ListedAccount } from "#src/edges/admin/accounts/AccountOperations.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Pages from "#src/edges/admin/Pages.ts"
import * as BalanceText from "#src/cli/balance/BalanceText.ts"
import * as Output from "#src/cli/Output.ts"
import * as LimitsText from "./LimitsText.ts"

const forPrograms = (account: ListedAccount) => ({
  accountId: account.accountId,
  name: account.name,
  openedAt: Output.time(account.openedAt),
  erasedAt: Output.timeOrNull(account.erasedAt),
  ...BalanceText.forPrograms(account),
  ...LimitsText.listedForPrograms(account)
})

const forPeople = (account: ListedAccount) => [
  account.accountId,
  account.name,
  Money.format(account.balance),
  Money.format(account.reserved),
  Money.format(account.available),
  Money.format(account.creditLimit),
  LimitsText.openRequests(account),
  LimitsText.stored(account),
  Output.time(account.openedAt),
  Output.timeOrNull(account.erasedAt) ?? "-"
]

const header = [
  "ACCOUNT",
  "NAME",
  "BALANCE",
  "RESERVED",
  "AVAILABLE",
  "CREDIT",
  "MAX OPEN",
  "MAX STORED",
  "OPENED",
  "ERASED"
]

export const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const { listAccounts } = yield* Administration
    const accounts = yield* Pages.collect((after: AccountId | null) => listAccounts({ after }))
    yield* BalanceText.warn({ isCurrent: accounts.every(({ isCurrent }) => isCurrent) })
    if (json) return yield* Output.printJson(accounts.map(forPrograms))
    if (accounts.length === 0) return yield* Console.error("There are no accounts.")
    yield* Console.log(Output.table(header, accounts.map(forPeople)))
  })
).pipe(
  Command.withDescription(
    "List accounts with their balances in USD and their limits, erased accounts included"
  ),
  Command.withShortDescription("List accounts, their balances and limits"),
  Command.withExamples([{ command: "inferlog accounts list" }, { command: "inferlog accounts list --json" }])
)

/** Keys with limited rights, and accounts with rate limits. */
import { Effect } from "effect"
import * as Account from "#domain/account/Account.ts"
import * as Grant from "#domain/account/Grant.ts"
import type { Limits } from "#domain/account/Limits.ts"
import { KeyId } from "#domain/Ids.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"

/** For the account whose first key has this name (`TestServer.openAccount`). */
export const accountOf = (name: string) => Account.accountOf(KeyId.make(name), ApiKey.sha256Hex)

/** The header of a new key of the account, with an unlimited grant except for the given fields. */
export const issue = Effect.fnUntraced(function* (grant: Partial<Grant.Grant> = {}, account = "alpha") {
  const accounts = yield* Accounts
  const key = yield* accounts.issueKey({
    accountId: accountOf(account),
    name: "another key",
    grant: { ...Grant.unlimited, ...grant }
  })
  return { authorization: `Key ${ApiKey.format(key)}` }
})

export const limit = (account: string, limits: Partial<Limits>) =>
  Effect.flatMap(Accounts, (accounts) => accounts.changeLimits({ accountId: accountOf(account), limits }))

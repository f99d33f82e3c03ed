/** The account of a command: the given one, or the only one. */
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { AccountId } from "#domain/Ids.ts"
import { type KeyId } from "#domain/Ids.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Pages from "#src/edges/admin/Pages.ts"
import * as Flags from "./Flags.ts"
import { UsageError } from "./Failure.ts"

export const accountFlag = Flags.account("The account; optional when there is only one").pipe(Flag.optional)

/** Ids that an error lists. */
const listedIds = 20

/** All keys of the account, or of all accounts. */
export const allKeys = (account: Option.Option<AccountId>) =>
  Effect.flatMap(Administration, ({ listKeys }) =>
    Pages.collect((after: KeyId | null) =>
      listKeys({ after, ...(Option.isSome(account) && { accountId: account.value }) })
    )
  )

/** The only account. Every account has at least one key. `choose` says how to choose one of several. */
export const onlyAccount = Effect.fnUntraced(function* (choose: string) {
  const ids = [...new Set((yield* allKeys(Option.none())).map(({ accountId }) => accountId))]
  const [only, ...others] = ids
  if (only === undefined) {
    return yield* new UsageError({
      message: "There are no accounts: see 'inferlog accounts create --help'"
    })
  }
  if (others.length === 0) return only
  const listed = ids.slice(0, listedIds).join(", ") + (ids.length > listedIds ? ", …" : "")
  return yield* new UsageError({
    message: `There are ${ids.length} accounts; ${choose}: ${listed}`
  })
})

export const chosenAccount = (account: Option.Option<AccountId>) =>
  Option.match(account, { onNone: () => onlyAccount("choose one with --account"), onSome: Effect.succeed })

/** The account of a command: the given one, or the only one. */
import { Effect, Option, Stream } from "effect"
import { Flag } from "effect/cli"
import { AccountId, type KeyId } from "#domain/Ids.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { UsageError } from "./Failure.ts"

export const accountFlag = Flag.String("account").pipe(
  Flag.withMetavar("acc_…"),
  Flag.withDescription("The account; optional when there is only one"),
  Flag.withSchema(AccountId),
  Flag.optional
)

/** Ids that an error lists. */
const listedIds = 20

/** All keys of the account, or of all accounts. */
export const allKeys = Effect.fnUntraced(function* (account: Option.Option<AccountId>) {
  const { listKeys } = yield* Administration
  const accountId = Option.getOrUndefined(account)
  const pages = Stream.paginate(Option.none<KeyId>(), (after) =>
    Effect.map(
      listKeys({ after: Option.getOrNull(after), ...(accountId !== undefined && { accountId }) }),
      (page) =>
        [page, Option.map(Option.fromUndefinedOr(page.at(-1)), ({ keyId }) => Option.some(keyId))] as const
    )
  )
  return yield* Stream.runCollect(pages)
})

/** The only account. Every account has at least one key. `choose` tells how to choose one of several. */
export const onlyAccountOf = Effect.fnUntraced(function* (choose: string) {
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

const onlyAccount = onlyAccountOf("choose one with --account")

/** The given account, or the only one. */
export const chosenAccount = (account: Option.Option<AccountId>) =>
  Option.match(account, { onNone: () => onlyAccount, onSome: Effect.succeed })

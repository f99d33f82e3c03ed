/** Which account a command means, also when it names none. */
import { Effect, Option, Stream } from "effect"
import { Flag } from "effect/cli"
import { AccountId, type KeyId } from "#domain/Ids.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { UsageError } from "./Failure.ts"

export const accountFlag = Flag.String("account").pipe(
  Flag.withMetavar("acc_…"),
  Flag.withDescription("The account; may be left out when there is only one"),
  Flag.withSchema(AccountId),
  Flag.optional
)

/** Ids that an error lists at most. */
const listedIds = 20

/** Every key of the account, or of all. */
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

/** The only account there is. Every account has a key, if a revoked one. `choose`: how to say which of several. */
export const onlyAccountOf = Effect.fnUntraced(function* (choose: string) {
  const ids = [...new Set((yield* allKeys(Option.none())).map(({ accountId }) => accountId))]
  const [only, ...others] = ids
  if (only === undefined) {
    return yield* new UsageError({
      message: "There is no account yet: see 'inferlog accounts create --help'"
    })
  }
  if (others.length === 0) return only
  const listed = ids.slice(0, listedIds).join(", ") + (ids.length > listedIds ? ", …" : "")
  return yield* new UsageError({
    message: `There are ${ids.length} accounts; ${choose}: ${listed}`
  })
})

const onlyAccount = onlyAccountOf("name one with --account")

/** The account that was named, or else the only one there is. */
export const chosenAccount = (account: Option.Option<AccountId>) =>
  Option.match(account, { onNone: () => onlyAccount, onSome: Effect.succeed })

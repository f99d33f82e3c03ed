/**
 * Accounts for tests without keys. Each is opened at its first submit with a large balance, unless the test opened it
 * before.
 */
import { Array, Context, Effect, Layer, Result } from "effect"
import * as Account from "#domain/account/Account.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"

/** USD. */
export const plenty = "1000000"

export const usd = (text: string): Money.NanoUsd => Effect.runSync(Effect.fromOption(Money.parse(text)))

export class TestAccounts extends Context.Service<
  TestAccounts,
  {
    /** Does nothing if the account is open. `balance` is in USD. */
    readonly open: (accountId: string, balance?: string) => Effect.Effect<void>
  }
>()("inferlog/test/TestAccounts") {
  /** Uses the store directly, without the faults that the test injects into appends. */
  static readonly layer = Layer.effect(
    TestAccounts,
    Effect.gen(function* () {
      const store = yield* EventStore
      const opened = new Set<string>()
      return TestAccounts.of({
        open: (accountId, balance = plenty) =>
          Effect.suspend(() => {
            if (opened.has(accountId)) return Effect.void
            opened.add(accountId)
            return store
              .append({
                stream: StreamName.make(Account.aggregate.category, accountId),
                expected: ExpectedVersion.NoStream,
                events: eventsOf(AccountId.make(accountId), usd(balance))
              })
              .pipe(Effect.orDie, Effect.asVoid)
          })
      })
    })
  )

  /** The `Requests` of the layer below, with the accounts of all callers open. */
  static readonly funded = Layer.effect(
    Requests,
    Effect.gen(function* () {
      const requests = yield* Requests
      const accounts = yield* TestAccounts
      return Requests.of({
        ...requests,
        submit: (submission, checks) =>
          Effect.andThen(accounts.open(submission.caller.accountId), requests.submit(submission, checks))
      })
    })
  )
}

/** Opens the account with the domain's own command. */
const eventsOf = (accountId: AccountId, balance: Money.NanoUsd) => {
  const { codec, decider } = Account.aggregate
  const key = { keyId: KeyId.make(`key of ${accountId}`), name: "first key", secretHash: "none" }
  const decided = decider.decide(
    { _tag: "Open", at: 0, accountId, name: accountId, key, balance },
    decider.initial
  )
  const events = Result.getOrThrow(decided)
  if (!Array.isReadonlyArrayNonEmpty(events)) throw new Error("expected events")
  return Array.map(events, (event, index) => ({ id: `${accountId}-${index}`, ...codec.encode(event) }))
}

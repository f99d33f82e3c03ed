/**
 * The accounts of tests that have no keys. Each is on the log from its first submit on, with a balance that lasts, unless
 * the test has opened it with another one before.
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
    /** Does nothing for an account that is open. `balance` is in USD. */
    readonly open: (accountId: string, balance?: string) => Effect.Effect<void>
  }
>()("inferlog/test/TestAccounts") {
  /** On the store as it is, past what the test does to appends. */
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

  /** `Requests` of the layer below, whose callers' accounts are open. */
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

/** As the domain opens accounts. */
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

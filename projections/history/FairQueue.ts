/**
 * Runs the statements of long lists one at a time and yields before each one, because they share the main thread with all
 * other work. Accounts that wait take turns.
 */
import { Effect, PartitionedSemaphore } from "effect"
import type { AccountId } from "#domain/Ids.ts"

export interface FairQueue {
  readonly run: (
    accountId: AccountId
  ) => <A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make: Effect.Effect<FairQueue> = Effect.map(
  PartitionedSemaphore.make<AccountId>({ permits: 1 }),
  (semaphore) => ({
    run: (accountId) => (statement) =>
      semaphore.withPermit(accountId)(Effect.andThen(Effect.yieldNow, statement))
  })
)

/**
 * Statements of lists that are gone through, on the thread that everything else runs on. One of them runs between two turns
 * of everybody else, whoever asks for how many lists; accounts that wait for theirs take turns.
 */
import { Effect, PartitionedSemaphore } from "effect"
import type { AccountId } from "#domain/Ids.ts"

export interface Turns {
  readonly take: (
    accountId: AccountId
  ) => <A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const make: Effect.Effect<Turns> = Effect.map(
  PartitionedSemaphore.make<AccountId>({ permits: 1 }),
  (places) => ({
    take: (accountId) => (statement) =>
      places.withPermit(accountId)(Effect.andThen(Effect.yieldNow, statement))
  })
)

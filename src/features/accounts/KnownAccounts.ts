/**
 * Brings accounts into memory, for one of several nodes: whoever asks it while the log is away is to be let in by his key,
 * though he has never asked this node before. Those that are opened from then on are observed.
 */
import { Effect, Layer, Schedule } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { type AccountDetails, Keys } from "#projections/keys/Keys.ts"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import { AccountActors } from "./AccountActors.ts"

const pageSize = 500

/** As many as stay in memory for sure. */
const most = 4_000

/** Accounts that are read at once: there is time. */
const concurrency = 4

const again = Schedule.spaced("10 seconds")

const load = Effect.gen(function* () {
  const keys = yield* Keys
  const actors = yield* AccountActors
  yield* (yield* Projections).waitFor(yield* (yield* EventReader).head, { projection: "keys" })
  let after: AccountId | null = null
  for (let count = 0; count < most; count += pageSize) {
    const page: ReadonlyArray<AccountDetails> = yield* keys.accounts({ after, limit: pageSize })
    yield* Effect.forEach(page, ({ accountId }) => actors.current(accountId), { concurrency, discard: true })
    after = page.at(-1)?.accountId ?? null
    if (after === null) return
  }
})

/** In the background: a key that is asked for meanwhile is read first. */
export const layer = Layer.effectDiscard(
  load.pipe(
    Effect.tapError((error) => Effect.logDebug("Accounts are brought into memory later", error)),
    Effect.retry(again),
    Effect.ignoreCause,
    Effect.forkScoped
  )
).pipe(Layer.provide(Keys.layer))

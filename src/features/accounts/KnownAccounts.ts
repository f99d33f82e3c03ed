/** Loads accounts into memory on one of several nodes: keys work while the log is down. Later ones are observed. */
import { Effect, Layer, Schedule } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { Keys } from "#projections/keys/Keys.ts"
import { type AccountDetails } from "#projections/keys/KeyViews.ts"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import { AccountActors } from "./AccountActors.ts"

const pageSize = 500

/** As many as certainly stay in memory. */
const most = 4_000

/** Accounts read at the same time. */
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

/** In the background: a requested key is read first. */
export const layer = Layer.effectDiscard(
  load.pipe(
    Effect.tapError((error) => Effect.logDebug("Accounts will be loaded into memory later", error)),
    Effect.retry(again),
    Effect.ignoreCause,
    Effect.forkScoped
  )
).pipe(Layer.provide(Keys.layer))

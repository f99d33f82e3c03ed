/** Removes sessions that are unused or whose keys are no longer valid. */
import { Clock, type Duration, Effect, Layer } from "effect"
import * as Key from "#domain/account/Key.ts"
import { keyOf } from "#domain/account/State.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { Sessions } from "./Sessions.ts"
import type { Owner } from "./StoredSessions.ts"

const letGoEvery = "1 minute"
const expireEvery = "1 hour"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const actors = yield* AccountActors
    const sessions = yield* Sessions

    /** No session is removed because the log cannot be read. */
    const isAlive = ({ accountId, keyId }: Owner) =>
      Effect.gen(function* () {
        const { state } = yield* actors.current(accountId)
        const key = keyOf(state, keyId)
        return key !== undefined && Key.isValid(key, yield* Clock.currentTimeMillis)
      }).pipe(Effect.orElseSucceed(() => true))

    const every = (interval: Duration.Input, what: string, work: Effect.Effect<void, unknown>) =>
      Effect.forkScoped(supervise(what, Effect.forever(Effect.delay(work, interval))))

    yield* every(letGoEvery, "Closing idle sessions", sessions.letGo)
    yield* every(expireEvery, "Collecting sessions", sessions.expire(isAlive))
  })
)

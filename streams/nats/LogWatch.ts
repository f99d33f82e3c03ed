/**
 * Whether the log at the servers is still the one that this node has seen: a server that was restored, or lost its tail, goes
 * on elsewhere than we do.
 */
import { Deferred, Effect, Schedule, type Scope, Stream } from "effect"
import { EventStoreError } from "../EventReader.ts"
import type * as LogHead from "../LogHead.ts"
import { LogDiverged } from "./LogDiverged.ts"
import type { MessageReads } from "./MessageReads.ts"
import { Nats } from "./Nats.ts"

/** What this node has seen of the log. */
export interface Known extends LogHead.Head {
  /** Of the last event. */
  readonly hash: string
}

/** A server that does not lead any more may answer with what it knew: what it says is asked for once more after this. */
const secondLook = "10 seconds"

const isStillThere = (reads: MessageReads, { hash, sequence }: Known) =>
  sequence === 0
    ? Effect.succeed(true)
    : Effect.map(reads.at(sequence), (found) => found?.events.at(-1)?.hash === hash)

/** Looks after each reconnect. Fails when what was seen is gone, else it never ends. */
export const make = Effect.fnUntraced(function* (
  reads: MessageReads,
  seen: () => Known
): Effect.fn.Return<Effect.Effect<never, EventStoreError>, never, Nats | Scope.Scope> {
  const { reconnects } = yield* Nats
  const failed = yield* Deferred.make<never, EventStoreError>()
  const look = Effect.suspend(() => isStillThere(reads, seen())).pipe(
    Effect.retry(Schedule.spaced("1 second")),
    Effect.orDie
  )
  const check = Effect.gen(function* () {
    if (yield* look) return
    yield* Effect.sleep(secondLook)
    if (yield* look) return
    const last = yield* Effect.orElseSucceed(reads.lastAfter(0), () => null)
    const reason = new LogDiverged({ found: last?.sequence ?? 0, expected: seen().sequence }).message
    Deferred.doneUnsafe(failed, Effect.fail(new EventStoreError({ reason })))
  })
  yield* Effect.forkScoped(Stream.runForEach(reconnects, () => check))
  return Deferred.await(failed)
})

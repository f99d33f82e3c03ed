/**
 * Checks after each reconnect, before anything is sent, that the log at the servers is still the one that this node has
 * seen. A server that was restored or lost its tail has a different one.
 */
import { JetStreamApiError } from "@nats-io/jetstream"
import { Deferred, Effect, Schedule } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import { LogDiverged } from "./LogDiverged.ts"
import * as MessageReads from "./MessageReads.ts"
import { Nats } from "./Nats.ts"
import * as NatsStreams from "./NatsStreams.ts"
import type { Written } from "./Writer.ts"

/** How long a former leader may answer with outdated data: an election. */
const electionTime = "7 seconds"

/** How long a single server may recover its streams after it accepts connections. */
const recoveryTime = "1 second"

/** `gone`: the log ends before what was seen, or does not exist. `other`: another event is there, which is permanent. */
type Finding = "same" | "gone" | "other"

const isMissing = ({ cause }: EventStoreError): boolean =>
  cause instanceof JetStreamApiError && cause.code === NatsStreams.notFound

/**
 * Checks each reconnect.
 *
 * @param seen the newest message that this node has followed or written. It may not have followed yet what it has
 * acknowledged.
 * @returns fails when that message is gone; otherwise it never ends.
 */
export const make = Effect.fnUntraced(function* (
  seen: () => Written
): Effect.fn.Return<Effect.Effect<never, LogDiverged>, never, Nats> {
  const nats = yield* Nats
  const failed = yield* Deferred.make<never, LogDiverged>()
  // The connection counts as down until it is checked, and the check reads over it.
  const reads = yield* Effect.provideService(MessageReads.make, Nats, { ...nats, isUp: () => true })

  const find = Effect.gen(function* (): Effect.fn.Return<Finding, EventStoreError> {
    const { hash, sequence } = seen()
    if (sequence === 0) return "same"
    const found = yield* reads.at(sequence)
    if (found === null) return "gone"
    return found.events.at(-1)?.hash === hash ? "same" : "other"
  })
  const findWithRetry = find.pipe(
    Effect.catchIf(isMissing, () => Effect.succeed<Finding>("gone")),
    Effect.retry(Schedule.spaced("250 millis")),
    Effect.orDie
  )

  const waitTime = nats.options.replicas > 1 ? electionTime : recoveryTime
  const confirmed = Effect.flatMap(findWithRetry, (finding) =>
    finding === "gone" ? Effect.andThen(Effect.sleep(waitTime), findWithRetry) : Effect.succeed(finding)
  )

  yield* nats.vetReconnects(
    Effect.gen(function* () {
      if ((yield* confirmed) === "same") return true
      const last = yield* Effect.orElseSucceed(reads.lastAfter(0), () => null)
      const error = new LogDiverged({ found: last?.sequence ?? 0, expected: seen().sequence })
      Deferred.doneUnsafe(failed, Effect.fail(error))
      return false
    })
  )
  return Deferred.await(failed)
})

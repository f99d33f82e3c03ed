/** The newest part of the log in memory. A follower reads it from the servers, and events are published in batches. */
import { Effect, type Scope } from "effect"
import * as HeadSignal from "../HeadSignal.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import type { Decoded } from "./AppendMessage.ts"
import * as Follower from "./Follower.ts"
import type { LogDiverged } from "./LogDiverged.ts"
import * as JetStreamReading from "./JetStreamReading.ts"
import type { Nats } from "./Nats.ts"
import * as RecentMessages from "./RecentMessages.ts"

/** The events that arrived in one turn of the event loop. */
interface Batch {
  readonly events: ReadonlyArray<RecordedEvent>
  /** Sequence number of the message with the last of them. */
  readonly sequence: number
}

export interface FollowedLogOptions {
  /** The message to continue after. `null` for the beginning of the log. */
  readonly start: Decoded | null
  /** Called before followers are notified. Must neither wait nor throw. */
  readonly onBatch: (batch: Batch) => void
}

export interface FollowedLog {
  readonly recent: RecentMessages.RecentMessages
  readonly signal: HeadSignal.HeadSignal
  /** The known end of the log, followed or not. Any part of the process that learns of more publishes it here. */
  readonly known: HeadSignal.HeadSignal
  /** Sequence number of the last message that was followed and published, with events or without. */
  readonly sequence: () => number
  /** Fails when the log at the servers is no longer the one that was followed. */
  readonly diverged: Effect.Effect<never, LogDiverged>
}

export const make = Effect.fnUntraced(function* ({
  onBatch,
  start
}: FollowedLogOptions): Effect.fn.Return<FollowedLog, never, Nats | Scope.Scope> {
  const end = JetStreamReading.endOf(start)
  const recent = RecentMessages.make(end)
  const signal = HeadSignal.make(end)
  let pending: Array<RecordedEvent> = []
  /** Sequence numbers of the last message with events, and of the last message of any kind. */
  let sequence = start?.sequence ?? 0
  let received = sequence
  let published = sequence

  const publish = () => {
    const events = pending
    pending = []
    const last = events.at(-1)
    if (last === undefined) return
    recent.push(events)
    onBatch({ events, sequence })
    published = received
    signal.publish(last.position, events)
  }

  // Runs after the follower is closed, and publishes its last events while there are still listeners.
  yield* Effect.addFinalizer(() => Effect.sync(publish))
  const { diverged } = yield* Follower.make({
    start,
    onMessage: (message) => {
      received = message.sequence
      if (message.events.length === 0) {
        if (pending.length === 0) published = received
        return
      }
      // Messages arrive in packets, so one turn publishes all of them.
      if (pending.length === 0) setImmediate(publish)
      for (const event of message.events) pending.push(event)
      sequence = message.sequence
    }
  })
  return { recent, signal, known: HeadSignal.make(end), sequence: () => published, diverged }
})

/** The newest part of the log in memory, kept up with the servers by a follower, and told of in batches. */
import { Effect, type Scope } from "effect"
import * as HeadSignal from "../HeadSignal.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import type { Decoded } from "./AppendMessage.ts"
import * as Follower from "./Follower.ts"
import type { LogDiverged } from "./LogDiverged.ts"
import * as JetStreamReading from "./JetStreamReading.ts"
import type { Nats } from "./Nats.ts"
import * as RecentMessages from "./RecentMessages.ts"

/** What came in one turn of the event loop. */
interface Batch {
  readonly events: ReadonlyArray<RecordedEvent>
  /** Of the message with the last of them. */
  readonly sequence: number
}

export interface FollowedLogOptions {
  /** The message to go on after; `null` for the beginning of the log. */
  readonly start: Decoded | null
  /** Called before followers are told. Must neither wait nor throw. */
  readonly onBatch: (batch: Batch) => void
}

export interface FollowedLog {
  readonly recent: RecentMessages.RecentMessages
  readonly signal: HeadSignal.HeadSignal
  /** Of what is known to be there, followed or not: whoever knows of more tells it. */
  readonly known: HeadSignal.HeadSignal
  /** Of the last message that was followed and told of, with events or without. */
  readonly sequence: () => number
  /** Fails when the log at the servers is not the one any more that was followed. */
  readonly diverged: Effect.Effect<never, LogDiverged>
}

export const make = Effect.fnUntraced(function* ({
  onBatch,
  start
}: FollowedLogOptions): Effect.fn.Return<FollowedLog, never, Nats | Scope.Scope> {
  const end = JetStreamReading.endOf(start)
  const recent = RecentMessages.make(end)
  const signal = HeadSignal.make(end)
  let waiting: Array<RecordedEvent> = []
  /** Of the last message with events, and of the last one of all. */
  let sequence = start?.sequence ?? 0
  let passed = sequence
  let told = sequence

  const tell = () => {
    const events = waiting
    waiting = []
    const last = events.at(-1)
    if (last === undefined) return
    recent.push(events)
    onBatch({ events, sequence })
    told = passed
    signal.publish(last.position)
  }

  // After the follower, which is closed first: what it has brought is told of while somebody can hear it.
  yield* Effect.addFinalizer(() => Effect.sync(tell))
  const { diverged } = yield* Follower.make({
    start,
    onMessage: (message) => {
      passed = message.sequence
      if (message.events.length === 0) {
        if (waiting.length === 0) told = passed
        return
      }
      // Messages come in by the packet: one turn tells of all of them.
      if (waiting.length === 0) setImmediate(tell)
      for (const event of message.events) waiting.push(event)
      sequence = message.sequence
    }
  })
  return { recent, signal, known: HeadSignal.make(end), sequence: () => told, diverged }
})

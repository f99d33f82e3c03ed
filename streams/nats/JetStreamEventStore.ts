/**
 * The log on NATS JetStream, shared by many nodes. Each keeps in its data directory what it has seen of it: position and
 * running digest in `log.head`, by which it notices when the servers have lost something.
 */
import { Context, Deferred, Effect, Layer, Schedule, Stream } from "effect"
import * as EventChain from "../EventChain.ts"
import { EventReader, EventStoreError } from "../EventReader.ts"
import { EventStore } from "../EventStore.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import { LogFailure } from "../LogFailure.ts"
import type * as LogHead from "../LogHead.ts"
import type { LogUnavailable } from "../LogUnavailable.ts"
import * as OpenLogHead from "../OpenLogHead.ts"
import * as DataLock from "../sqlite/DataLock.ts"
import type { Decoded } from "./AppendMessage.ts"
import * as Erasures from "./Erasures.ts"
import * as Fences from "./Fences.ts"
import * as Followed from "./Followed.ts"
import * as JetStreamReading from "./JetStreamReading.ts"
import { LogDiverged } from "./LogDiverged.ts"
import * as MessageReads from "./MessageReads.ts"
import { Nats, type NatsUnreachable } from "./Nats.ts"
import type { NatsOptions } from "./NatsOptions.ts"
import * as NatsStreams from "./NatsStreams.ts"
import * as PayloadRecords from "./PayloadRecords.ts"
import * as Publish from "./Publish.ts"
import type { NatsTooOld } from "./ServerVersion.ts"
import * as Writer from "./Writer.ts"

export interface JetStreamOptions {
  readonly nats: NatsOptions
  /** Of this node. */
  readonly directory: string
}

export type StartError =
  | DataLock.DataDirectoryLocked
  | EventStoreError
  | LogDiverged
  | LogUnavailable
  | NatsStreams.NatsStreamMismatch
  | NatsStreams.NatsStreamUnavailable

/** A start that has more messages than this to read tells so. */
const longCatchUp = 100_000

/** A server that does not lead any more may answer with what it knew: what it says is asked for once more after this. */
const secondLook = "10 seconds"

/** Where `log.head` lies. */
export const headFile = (directory: string): string => `${directory}/log.head`

const warnUnsynced = Effect.gen(function* () {
  const { isSynced, replicas } = (yield* Nats).options
  if (replicas > 1 || isSynced) return
  yield* Effect.logWarning(
    "The log has one replica: what was acknowledged is safe from a power cut only with sync_interval: always in " +
      "nats-server.conf. Where it is set, say so with sync=always in EVENT_STORE"
  )
})

/** The message that `log.head` is of; `null` for none. */
const findKnown = Effect.fnUntraced(function* (
  reads: MessageReads.MessageReads,
  { sequence }: LogHead.Head,
  last: Decoded | null
): Effect.fn.Return<Decoded | null, LogDiverged | EventStoreError> {
  if (sequence === 0) return null
  const found = last !== null && last.sequence >= sequence ? yield* reads.at(sequence) : null
  if (found === null || found.events.length === 0) {
    return yield* new LogDiverged({ found: last?.sequence ?? 0, expected: sequence })
  }
  return found
})

/** What this node has seen of the log. */
interface Seen extends LogHead.Head {
  /** Of the last event. */
  readonly hash: string
}

const isStillThere = (reads: MessageReads.MessageReads, { hash, sequence }: Seen) =>
  Effect.map(reads.at(sequence), (found) => found?.events.at(-1)?.hash === hash)

/** After each reconnect: a server that was restored, or lost its tail, goes on elsewhere than we do. */
const watch = (reads: MessageReads.MessageReads, seen: () => Seen) =>
  Effect.gen(function* () {
    const failed = yield* Deferred.make<never, EventStoreError>()
    const { reconnects } = yield* Nats
    const look = Effect.suspend(() =>
      seen().sequence === 0 ? Effect.succeed(true) : isStillThere(reads, seen())
    ).pipe(Effect.retry(Schedule.spaced("1 second")), Effect.orDie)
    const check = Effect.gen(function* () {
      if (yield* look) return
      yield* Effect.sleep(secondLook)
      if (yield* look) return
      const reason = new LogDiverged({ found: 0, expected: seen().sequence }).message
      Deferred.doneUnsafe(failed, Effect.fail(new EventStoreError({ reason })))
    })
    yield* Effect.forkScoped(Stream.runForEach(reconnects, () => check))
    return LogFailure.of({ await: Deferred.await(failed) })
  })

/** When this node has followed the log up to there. */
const reached = (
  signal: Followed.Followed["signal"],
  position: GlobalPosition.GlobalPosition
): Effect.Effect<void> =>
  GlobalPosition.isReached(position, signal.current())
    ? Effect.void
    : Effect.andThen(
        signal.past(signal.current()),
        Effect.suspend(() => reached(signal, position))
      )

const make = Effect.fnUntraced(function* (directory: string) {
  yield* DataLock.acquire(directory)
  yield* NatsStreams.ensure
  yield* warnUnsynced
  const reads = yield* MessageReads.make
  const records = yield* PayloadRecords.make
  const last = yield* reads.last
  const known = (yield* OpenLogHead.read(headFile(directory))) ?? { sequence: 0, digest: EventChain.origin }
  const start = yield* findKnown(reads, known, last)
  let seen: Seen = { ...known, hash: start?.events.at(-1)?.hash ?? "" }

  const logHead = yield* OpenLogHead.open(headFile(directory))
  const followed = yield* Followed.make({
    start,
    onBatch: ({ events, sequence }) => {
      const digest = events.reduce((digest, { hash }) => EventChain.digest(digest, hash), seen.digest)
      seen = { sequence, digest, hash: events.at(-1)?.hash ?? seen.hash }
      logHead.write(seen)
    }
  })
  const behind = (last?.sequence ?? 0) - known.sequence
  if (behind > longCatchUp) {
    yield* Effect.logInfo("The log is read before requests are taken").pipe(
      Effect.annotateLogs({ messages: behind })
    )
  }
  yield* reached(followed.signal, JetStreamReading.endOf(last))

  const publishing = yield* Publish.make(reads)
  const fences = yield* Fences.make(publishing, reads)
  const erasures = yield* Erasures.make(reads, records)
  const { append } = yield* Writer.make({ reads, records, publishing, fences, erasures })
  const reading = JetStreamReading.make({ reads, records, ...followed })
  return Context.make(EventStore, { ...reading, append, settled: fences.settled }).pipe(
    Context.add(EventReader, reading),
    Context.add(LogFailure, yield* watch(reads, () => seen))
  )
})

/** Fails when another process holds the directory, when the servers' streams do not fit, or when messages are missing. */
export const layerNoDeps = (
  directory: string
): Layer.Layer<EventStore | EventReader | LogFailure, StartError, Nats> =>
  Layer.effectContext(make(directory))

/** Over a connection of its own. */
export const layer = ({
  directory,
  nats
}: JetStreamOptions): Layer.Layer<
  EventStore | EventReader | LogFailure,
  StartError | NatsUnreachable | NatsTooOld
> => layerNoDeps(directory).pipe(Layer.provide(Nats.layer(nats)))

/**
 * The log on NATS JetStream, shared by many nodes. Each node stores position and running digest of what it has seen in
 * `log.head` in its data directory, and detects by it when the servers have lost something.
 */
import { Context, Deferred, Effect, Layer } from "effect"
import * as EventChain from "../EventChain.ts"
import { EventReader, EventStoreError } from "../EventReader.ts"
import { EventStore, sendBy } from "../EventStore.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import { LogFailure } from "../LogFailure.ts"
import type * as LogHead from "../LogHead.ts"
import { FollowedHead } from "../FollowedHead.ts"
import type { LogUnavailable } from "../LogUnavailable.ts"
import * as OpenLogHead from "../OpenLogHead.ts"
import * as DataLock from "../DataLock.ts"
import * as PayloadWork from "./PayloadWork.ts"
import * as AppendRecords from "./AppendRecords.ts"
import * as Erasures from "./Erasures.ts"
import * as Fences from "./Fences.ts"
import * as FollowedLog from "./FollowedLog.ts"
import * as JetStreamReading from "./JetStreamReading.ts"
import * as StartHead from "./StartHead.ts"
import type { LogDiverged } from "./LogDiverged.ts"
import * as LogWatch from "./LogWatch.ts"
import * as MessageReads from "./MessageReads.ts"
import { Nats, type NatsUnreachable } from "./Nats.ts"
import type { NatsOptions } from "./NatsOptions.ts"
import * as NatsStreams from "./NatsStreams.ts"
import * as PayloadRecords from "./PayloadRecords.ts"
import * as Publish from "./Publish.ts"
import type { NatsTooOld } from "./ServerVersion.ts"
import * as Writer from "./Writer.ts"

export type NodeOptions = StartHead.NodeOptions

export type StartError =
  | DataLock.DataDirectoryLocked
  | EventStoreError
  | LogDiverged
  | LogUnavailable
  | OpenLogHead.LogHeadDamaged
  | NatsStreams.NatsStreamMismatch
  | NatsStreams.NatsStreamUnavailable

/** A start that has to read more messages than this logs it. */
const longCatchUp = 100_000

/** The path of `log.head`. */
export const headFile = StartHead.file

const warnUnsynced = Effect.gen(function* () {
  const { isSynced, replicas } = (yield* Nats).options
  if (replicas > 1 || isSynced) return
  yield* Effect.logWarning(
    "The log has one replica, so acknowledged data survives a power cut only with sync_interval: always in " +
      "nats-server.conf. If it is set, add sync=always to EVENT_STORE"
  )
})

/** Waits until this node has followed the log up to the position. */
const reached = (
  signal: FollowedLog.FollowedLog["signal"],
  position: GlobalPosition.GlobalPosition
): Effect.Effect<void> =>
  GlobalPosition.isReached(position, signal.current())
    ? Effect.void
    : Effect.andThen(
        signal.past(signal.current()),
        Effect.suspend(() => reached(signal, position))
      )

const make = Effect.fnUntraced(function* (options: NodeOptions) {
  const { directory } = options
  yield* DataLock.acquire(directory)
  yield* NatsStreams.ensure
  yield* warnUnsynced
  const reads = yield* MessageReads.make
  const records = yield* PayloadRecords.make
  const last = yield* reads.lastAfter(0)
  const known = yield* StartHead.find(options, reads)
  const start = yield* StartHead.messageOf(reads, known, last)
  yield* StartHead.check(options, reads)
  let seen: LogHead.Head & Writer.Written = { ...known, hash: start?.events.at(-1)?.hash ?? "" }
  const followedHead = FollowedHead.of({
    now: Effect.sync(() =>
      seen.sequence === 0 ? null : { position: followed.signal.current(), digest: seen.digest }
    )
  })

  const logHead = yield* OpenLogHead.open(headFile(directory))
  const unwritten = yield* Deferred.make<never, EventStoreError>()
  const write = (head: LogHead.Head) => {
    try {
      logHead.write(head)
    } catch (cause) {
      const error = new EventStoreError({ reason: "log.head cannot be written", cause })
      Deferred.doneUnsafe(unwritten, Effect.fail(error))
    }
  }
  const followed = yield* FollowedLog.make({
    start,
    onBatch: ({ events, sequence }) => {
      const digest = events.reduce((digest, { hash }) => EventChain.digest(digest, hash), seen.digest)
      seen = { sequence, digest, hash: events.at(-1)?.hash ?? seen.hash }
      write(seen)
    }
  })
  const behind = (last?.sequence ?? 0) - known.sequence
  if (behind > longCatchUp) {
    yield* Effect.logInfo("Reading the log before accepting requests").pipe(
      Effect.annotateLogs({ messages: behind })
    )
  }
  yield* Effect.raceFirst(reached(followed.signal, JetStreamReading.endOf(last)), followed.diverged)

  const publishing = yield* Publish.make(reads)
  const fences = yield* Fences.make(publishing, reads)
  const erasures = yield* Erasures.make(reads, records)
  const payloadWork = PayloadWork.make({ recordsOf: yield* AppendRecords.make(records), erasures, fences })
  const { append, newest } = yield* Writer.make({
    reads,
    payloadWork,
    publishing,
    fences,
    known: followed.known
  })
  const send = sendBy(append, Effect.runForkWith(yield* Effect.context<never>()))
  const reading = JetStreamReading.make({ reads, records, ...followed })
  const gone = yield* LogWatch.make(() => (newest().sequence > seen.sequence ? newest() : seen))
  const failure = Effect.raceAllFirst([gone, followed.diverged, Deferred.await(unwritten)])
  return Context.make(EventStore, { ...reading, append, send, settled: fences.settled }).pipe(
    Context.add(EventReader, reading),
    Context.add(FollowedHead, followedHead),
    Context.add(LogFailure, LogFailure.of({ await: failure }))
  )
})

type Log = EventStore | EventReader | LogFailure | FollowedHead

/**
 * Fails when another process has locked the directory, when the servers' streams have another configuration, or when
 * messages are missing.
 */
export const layerNoDeps = (options: NodeOptions): Layer.Layer<Log, StartError, Nats> =>
  Layer.effectContext(make(options))

/** With its own connection. */
export const layer = ({
  nats,
  ...options
}: NodeOptions & { readonly nats: NatsOptions }): Layer.Layer<
  Log,
  StartError | NatsUnreachable | NatsTooOld
> => layerNoDeps(options).pipe(Layer.provide(Nats.layer(nats)))

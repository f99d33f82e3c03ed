/**
 * Follows the log live without gaps. When the server forgets the consumer or the consumer skips a message, a new one starts
 * at the last message, which must be unchanged.
 */
import { DeliverPolicy, type JsMsg } from "@nats-io/jetstream"
import { Deferred, Effect, Schedule, type Scope, Stream } from "effect"
import * as AppendMessage from "./AppendMessage.ts"
import { LogDiverged } from "./LogDiverged.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names } from "./NatsOptions.ts"
import * as Subjects from "./Subjects.ts"

/** The number of messages that the server sends ahead. */
const ahead = 1_000

/** The server drops a consumer that was not deleted after this time without use, ms. */
const inactiveMs = 30_000

/** How often to check for messages that do not arrive. */
const watchInterval = "5 seconds"

const retryInterval = Schedule.spaced("250 millis")

/** After this many consumers in a row that skip a message but deliver a later one, the message counts as gone. */
const maxGaps = 4

export interface FollowerOptions {
  /** The message to continue after. `null` for the beginning of the log. */
  readonly start: AppendMessage.Decoded | null
  /** Called with each message, in the order of the log. Must neither wait nor throw. */
  readonly onMessage: (message: AppendMessage.Decoded) => void
}

export interface Follower {
  /** Fails when the log at the servers is no longer the one that was followed. No more messages follow then. */
  readonly diverged: Effect.Effect<never, LogDiverged>
}

/** Distinguishes messages with the same sequence number. */
const fingerprintOf = ({ events, tail }: AppendMessage.Decoded): string => `${events.length} ${tail.hash}`

/** Follows until the scope is closed. */
export const make = Effect.fnUntraced(function* ({
  onMessage,
  start
}: FollowerOptions): Effect.fn.Return<Follower, never, Nats | Scope.Scope> {
  const nats = yield* Nats
  const { js, jsm, options, reconnects } = nats
  const { stream: log } = names(options).events
  const subjects = Subjects.make(options)
  const diverged = yield* Deferred.make<never, LogDiverged>()
  let sequence = start?.sequence ?? 0
  let fingerprint = start === null ? "" : fingerprintOf(start)
  let gaps = 0

  const diverge = (found: number) => {
    Deferred.doneUnsafe(diverged, Effect.fail(new LogDiverged({ found, expected: sequence })))
  }

  const decode = ({ data, seq, subject }: JsMsg): AppendMessage.Decoded => {
    try {
      return AppendMessage.decode(subjects.streamOf(subject), seq, data)
    } catch {
      // Readers of the log report the error.
      return AppendMessage.foreign(seq)
    }
  }

  const take = (message: AppendMessage.Decoded) => {
    sequence = message.sequence
    fingerprint = fingerprintOf(message)
    gaps = 0
    onMessage(message)
  }

  /** Receives from one consumer. Calls `onLost` when the consumer is useless. */
  const receive = (onLost: () => void) => {
    let isOver = false
    let isSame = sequence === 0
    const end = () => {
      isOver = true
      onLost()
    }
    const callback = (message: JsMsg) => {
      // A server that lags starts at its own end.
      if (isOver || message.seq < sequence) return
      if (message.seq === sequence) {
        isSame = fingerprintOf(decode(message)) === fingerprint
        if (isSame) return
        diverge(message.seq)
        return end()
      }
      if (isSame && message.seq === sequence + 1) return take(decode(message))
      gaps++
      if (gaps >= maxGaps) diverge(sequence)
      end()
    }
    return { callback, stop: () => void (isOver = true) }
  }

  const follow = Effect.gen(function* () {
    const lost = yield* Deferred.make<void>()
    const { callback, stop } = receive(() => Deferred.doneUnsafe(lost, Effect.void))
    const consume = NatsFailure.attempt(nats, "The log cannot be followed", async () => {
      const consumer = await js.consumers.get(log, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: Math.max(sequence, 1),
        inactive_threshold: inactiveMs
      })
      return { consumer, messages: await consumer.consume({ max_messages: ahead, callback }) }
    })

    /** Completes when the log has messages that do not arrive. */
    const stalled = Effect.gen(function* () {
      const before = sequence
      yield* Effect.sleep(watchInterval)
      const info = yield* NatsFailure.attempt(nats, "The log cannot be followed", () =>
        jsm.streams.info(log)
      ).pipe(Effect.option)
      return before === sequence && info._tag === "Some" && info.value.state.last_seq > sequence
    }).pipe(Effect.repeat({ until: (isStalled) => isStalled }))

    yield* Effect.acquireUseRelease(
      consume,
      () => Effect.raceAllFirst([Deferred.await(lost), stalled, Stream.runDrain(Stream.take(reconnects, 1))]),
      ({ consumer, messages }) =>
        Effect.sync(() => {
          stop()
          void messages.close().catch(() => undefined)
          if (nats.isUp()) void consumer.delete().catch(() => undefined)
        })
    )
  })

  yield* follow.pipe(
    Effect.catch((error) => Effect.logDebug("The log is followed anew", error)),
    Effect.repeat(retryInterval),
    Effect.raceFirst(Effect.ignore(Deferred.await(diverged))),
    Effect.forkScoped
  )
  return { diverged: Deferred.await(diverged) }
})

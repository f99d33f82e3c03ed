/**
 * Follows the log live, from one message to the next without a gap: a consumer that the server forgets, or that skips
 * something, is made anew behind the last message.
 */
import { DeliverPolicy, type JsMsg } from "@nats-io/jetstream"
import { Deferred, Effect, Schedule, type Scope, Stream } from "effect"
import * as AppendMessage from "./AppendMessage.ts"
import { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"
import { names } from "./NatsOptions.ts"
import * as Subjects from "./Subjects.ts"

/** Messages that the server sends ahead. */
const ahead = 1_000

/** How often it is looked whether the log has moved on without us. */
const watchInterval = "5 seconds"

const again = Schedule.spaced("250 millis")

export interface FollowerOptions {
  /** Sequence number of the message to go on after. */
  readonly after: number
  /** Called with each message, in the order of the log. Must neither wait nor throw. */
  readonly onMessage: (message: AppendMessage.Decoded) => void
}

export interface Follower {
  /** Of the last message that was followed. */
  readonly sequence: () => number
}

/** Goes on until the scope is closed. */
export const make = Effect.fnUntraced(function* ({
  after,
  onMessage
}: FollowerOptions): Effect.fn.Return<Follower, never, Nats | Scope.Scope> {
  const nats = yield* Nats
  const { js, jsm, options, reconnects } = nats
  const { stream: log } = names(options).events
  const subjects = Subjects.make(options)
  let sequence = after

  const take = ({ data, subject }: JsMsg) => {
    sequence++
    try {
      onMessage(AppendMessage.decode(subjects.streamOf(subject), sequence, data))
    } catch {
      // No append: whoever reads it from the log tells of it.
    }
  }

  const follow = Effect.gen(function* () {
    const lost = yield* Deferred.make<void>()
    let isOver = false
    const consume = NatsFailure.attempt(nats, "The log cannot be followed", async () => {
      const consumer = await js.consumers.get(log, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: sequence + 1
      })
      return consumer.consume({
        max_messages: ahead,
        callback: (message) => {
          if (isOver || message.seq <= sequence) return
          if (message.seq === sequence + 1) return take(message)
          isOver = true
          Deferred.doneUnsafe(lost, Effect.void)
        }
      })
    })

    /** Ends when messages are there that do not come. */
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
      () =>
        Effect.raceFirst(
          Deferred.await(lost),
          Effect.raceFirst(stalled, Stream.runDrain(Stream.take(reconnects, 1)))
        ),
      (messages) =>
        Effect.promise(async () => {
          isOver = true
          await messages.close().catch(() => undefined)
        })
    )
  })

  yield* follow.pipe(
    Effect.catch((error) => Effect.logDebug("The log is followed anew", error)),
    Effect.repeat(again),
    Effect.forkScoped
  )
  return { sequence: () => sequence }
})

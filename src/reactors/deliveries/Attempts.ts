/**
 * Attempts under way on this node: a fiber each, from the claim on the log to the record of how it ended. A claim is an
 * event that is recorded before anything is sent, so that neither a crash nor another node sends once too often.
 */
import { Cause, Clock, Duration, Effect, FiberSet } from "effect"
import type { AttemptResult } from "#domain/webhook-delivery/Command.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as DeliverySchedule from "#domain/webhook-delivery/DeliverySchedule.ts"
import type { Delivery } from "#domain/webhook-delivery/State.ts"
import { Nodes } from "#src/cluster/Nodes.ts"
import * as MonotonicTime from "#src/MonotonicTime.ts"
import { Outbound } from "#src/outbound/Outbound.ts"
import { untilStored } from "#src/reactors/UntilStored.ts"
import * as Sparingly from "#src/Sparingly.ts"
import { SteadyTime } from "#src/SteadyTime.ts"
import { DeliveryActors } from "#src/webhooks/DeliveryActors.ts"
import { SigningSecrets } from "#src/webhooks/SigningSecrets.ts"
import * as PostResult from "./PostResult.ts"
import type { Places, Target } from "./Places.ts"

/** A request that is ready to be sent: signed a moment ago. */
export interface Signed {
  readonly body: Uint8Array
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
}

/** An attempt that this node has claimed. */
export interface Claimed {
  readonly delivery: Delivery
  readonly signed: Signed
}

/** After what could not be begun: its place is held so long, so that nobody asks for it again at once. */
const holdTime = "5 seconds"

const name = "inferlog-webhooks/1"

/** `ended` runs when a place is free again. */
export const make = (places: Places, ended: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const actors = yield* DeliveryActors
    const outbound = yield* Outbound
    const secrets = yield* SigningSecrets
    const steady = yield* SteadyTime
    const node = yield* Nodes
    const fibers = yield* FiberSet.make()
    const under = new Set<DeliveryId>()
    const tellOnce = Sparingly.make()

    /** The headers of an attempt that is made now (contract, "Events"). The time is the one that receivers have, too. */
    const sign = Effect.fnUntraced(function* (
      id: DeliveryId,
      accountId: Delivery["scheduled"]["accountId"],
      text: string
    ) {
      const body = Buffer.from(text)
      const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const signature = yield* secrets.sign(accountId, { id, timestamp, body })
      const signed: Signed = {
        body,
        headers: {
          "content-type": "application/json",
          "user-agent": name,
          "webhook-id": id,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": signature
        }
      }
      return signed
    })

    const post = ({ delivery, signed }: Claimed): Effect.Effect<AttemptResult> =>
      outbound
        .post({
          url: delivery.scheduled.url,
          timeout: Duration.millis(DeliverySchedule.attemptTimeoutMs),
          ...signed
        })
        .pipe(Effect.match({ onSuccess: PostResult.ofAnswer, onFailure: PostResult.ofError }))

    const lose = Effect.fnUntraced(function* (id: DeliveryId, attempt: number) {
      const at = yield* steady.now
      yield* actors.execute(id, { _tag: "LoseAttempt", at, attempt, node: node.self })
    })

    /** Whether the receiver answered; `null` when nobody asked it. */
    const run = Effect.fnUntraced(function* (id: DeliveryId, claimed: Claimed) {
      const attempt = claimed.delivery.attempts
      const since = yield* MonotonicTime.millis
      const result = yield* post(claimed).pipe(
        // The node stops: whoever comes next goes on.
        Effect.onInterrupt(() => Effect.ignoreCause(Effect.timeout(lose(id, attempt), "500 millis")))
      )
      const durationMs = (yield* MonotonicTime.millis) - since
      const at = yield* steady.now
      yield* untilStored(
        "What became of a webhook is not recorded yet",
        actors.execute(id, { _tag: "RecordAttempt", at, attempt, durationMs, result })
      )
      return PostResult.hasAnswered(result)
    })

    const fork = <E>(id: DeliveryId, target: Target, effect: Effect.Effect<boolean | null, E>) =>
      Effect.asVoid(
        FiberSet.run(
          fibers,
          effect.pipe(
            Effect.catchCause((cause) =>
              Cause.hasInterruptsOnly(cause)
                ? Effect.succeed(null)
                : Effect.as(
                    Effect.logError("An attempt to send a webhook was left without an end", cause),
                    null
                  )
            ),
            Effect.flatMap((answered) => release(id, target, answered)),
            Effect.annotateLogs({ delivery_id: id })
          )
        )
      )

    const tell = (id: DeliveryId, cause: Cause.Cause<unknown>) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : tellOnce(
            Effect.annotateLogs(Effect.logError("A webhook cannot be sent for now", cause), {
              delivery_id: id
            })
          )

    const release = (id: DeliveryId, target: Target, answered: boolean | null) =>
      Effect.suspend(() => {
        under.delete(id)
        places.giveBack(target, answered)
        return ended
      })

    return {
      sign,

      has: (id: DeliveryId) => under.has(id),

      /**
       * Runs `claim`, which gives what it has claimed or `null`, and sends that in a fiber of its own. The place that was
       * taken for it is given back when all is over. A claim that fails is told of, and leaves others alone; its place is
       * given back a little later.
       */
      begin: <E>(
        id: DeliveryId,
        target: Target,
        claim: Effect.Effect<Claimed | null, E>
      ): Effect.Effect<void> =>
        Effect.uninterruptible(
          Effect.suspend(() => {
            under.add(id)
            return Effect.matchCauseEffect(claim, {
              onFailure: (cause) =>
                Effect.andThen(tell(id, cause), fork(id, target, Effect.as(Effect.sleep(holdTime), null))),
              onSuccess: (claimed) => {
                if (claimed === null) return release(id, target, null)
                return fork(id, target, run(id, claimed))
              }
            })
          })
        )
    }
  })

export type Attempts = Effect.Success<ReturnType<typeof make>>

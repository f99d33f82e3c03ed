/**
 * Attempts under way on this node: a fiber each, from the claim on the log to the record of how it ended. A claim is an
 * event that is recorded before anything is sent, so that neither a crash nor another node sends once too often.
 */
import { Cause, Clock, Duration, Effect, Fiber, FiberSet, Option } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import type { AttemptResult } from "#domain/webhook-delivery/Command.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as DeliverySchedule from "#domain/webhook-delivery/DeliverySchedule.ts"
import type { Delivery } from "#domain/webhook-delivery/State.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { untilStored } from "#src/platform/reactors/UntilStored.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { DeliveryActors } from "../DeliveryActors.ts"
import { SigningSecrets } from "../SigningSecrets.ts"
import * as PostResult from "./PostResult.ts"
import type { Postponed } from "./Postponed.ts"
import { type Load, type Slots, whileMade } from "./Slots.ts"

/** A request that is ready to be sent: signed a moment ago. */
interface Signed {
  readonly body: Uint8Array
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
}

/** An attempt that this node has claimed. */
export interface Claimed {
  readonly delivery: Delivery
  readonly signed: Signed
}

const name = "inferlog-webhooks/1"

/** Waits for it a little: an append cannot be interrupted, and a log that is away keeps nobody from stopping. */
const soon = (effect: Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
  Effect.flatMap(Effect.forkDetach(Effect.ignoreCause(effect)), (fiber) =>
    Effect.asVoid(Effect.timeoutOption(Fiber.await(fiber), "500 millis"))
  )

/** `ended` runs when a slot is free again, whose delivery went its way. */
export const make = (slots: Slots, held: Postponed, ended: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const actors = yield* DeliveryActors
    const outbound = yield* Outbound
    const secrets = yield* SigningSecrets
    const steady = yield* SteadyTime
    const node = yield* Nodes
    const fibers = yield* FiberSet.make()
    const under = new Set<DeliveryId>()
    /** Those whose claim is not made yet. */
    const starting = new Set<DeliveryId>()
    const tellOfClaim = RateLimitedLog.make()
    const tellOfRecord = RateLimitedLog.make()
    const tellOfEnd = RateLimitedLog.make()

    /** The headers of an attempt that is made now (contract, "Events"). The time is the one that receivers have, too. */
    const sign = Effect.fnUntraced(function* (id: DeliveryId, accountId: AccountId, text: string) {
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
        Effect.onInterrupt(() => soon(lose(id, attempt)))
      )
      const durationMs = (yield* MonotonicTime.millis) - since
      const at = yield* steady.now
      yield* untilStored(
        "What became of a webhook is not recorded yet",
        actors.execute(id, { _tag: "RecordAttempt", at, attempt, durationMs, result }),
        tellOfRecord
      )
      return PostResult.hasAnswered(result)
    })

    const giveBack = (id: DeliveryId, load: Load, answered: boolean | null) =>
      Effect.sync(() => {
        under.delete(id)
        slots.giveBack(load, answered)
      })

    const release = (id: DeliveryId, load: Load, answered: boolean | null) =>
      Effect.andThen(giveBack(id, load, answered), ended)

    const send = (id: DeliveryId, load: Load, claimed: Claimed) =>
      FiberSet.run(
        fibers,
        run(id, claimed).pipe(
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.succeed(null)
              : Effect.as(
                  tellOfEnd(Effect.logError("An attempt to send a webhook was left without an end", cause)),
                  null
                )
          ),
          Effect.flatMap((answered) => release(id, load, answered)),
          Effect.annotateLogs({ delivery_id: id })
        )
      )

    /** What cannot be had for now is asked for again a little later; without secrets that is whatever the account has. */
    const hold = <E extends { readonly _tag: string }>(
      id: DeliveryId,
      accountId: AccountId,
      cause: Cause.Cause<E>
    ) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.void
      const isUnsigned = Option.exists(
        Cause.findErrorOption(cause),
        ({ _tag }) => _tag === "SecretsUnreadable"
      )
      return Effect.andThen(
        isUnsigned ? held.account(accountId) : held.delivery(id),
        tellOfClaim(Effect.logError("A webhook cannot be sent for now", cause)).pipe(
          Effect.annotateLogs({ delivery_id: id })
        )
      )
    }

    const begin = <E extends { readonly _tag: string }>(
      id: DeliveryId,
      accountId: AccountId,
      load: Load,
      claim: Effect.Effect<Claimed | null, E>
    ): Effect.Effect<boolean> =>
      Effect.uninterruptibleMask((restore) =>
        restore(claim).pipe(
          Effect.onExit(() => Effect.sync(() => starting.delete(id))),
          Effect.matchCauseEffect({
            // Nobody is woken: while the log takes nothing, the next one would fail, too.
            onFailure: (cause) =>
              Effect.andThen(hold(id, accountId, cause), Effect.as(giveBack(id, load, null), false)),
            onSuccess: (claimed) =>
              Effect.as(
                claimed === null ? release(id, load, null) : send(id, slots.made(load), claimed),
                true
              )
          })
        )
      )

    return {
      sign,

      has: (id: DeliveryId) => under.has(id),

      /** Those of which the log does not say yet that this node is at them. */
      starting: (): ReadonlyArray<DeliveryId> => [...starting],

      /**
       * Runs `claim`, which gives what it has claimed or `null`, and sends that in a fiber of its own. The slot that was
       * taken for it is given back when all is over. A claim that fails is told of, and held for a while. True when the
       * read models have something to catch up with. A large body, which may take its time, is claimed in a fiber, too.
       */
      begin: <E extends { readonly _tag: string }>(
        id: DeliveryId,
        accountId: AccountId,
        load: Load,
        claim: Effect.Effect<Claimed | null, E>
      ): Effect.Effect<boolean> =>
        Effect.suspend(() => {
          under.add(id)
          starting.add(id)
          const beginning = begin(id, accountId, load, claim)
          return load.bytes > whileMade(inlineLimit)
            ? Effect.as(FiberSet.run(fibers, beginning), false)
            : beginning
        })
    }
  })

export type Attempts = Effect.Success<ReturnType<typeof make>>

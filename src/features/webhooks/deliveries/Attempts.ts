/**
 * The attempts of this node: claim → post → record. The claim is an event on the log before anything is sent, so that
 * neither a crash nor another node sends twice. Post and record run in a fiber of their own.
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

/** A signed request, ready to be sent. */
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

/** A delivery with its slot, from before its claim until its outcome is recorded. */
export interface DeliverySlot {
  readonly id: DeliveryId
  readonly accountId: AccountId
  readonly load: Load
}

const userAgent = "inferlog-webhooks/1"

/** Waits briefly, because an append cannot be interrupted and an unreachable log must not delay a stop. */
const soon = (effect: Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
  Effect.flatMap(Effect.forkDetach(Effect.ignoreCause(effect)), (fiber) =>
    Effect.asVoid(Effect.timeoutOption(Fiber.await(fiber), "500 millis"))
  )

/** `onFree` runs when an attempt has returned its slot. */
export const make = (slots: Slots, postponed: Postponed, onFree: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const actors = yield* DeliveryActors
    const outbound = yield* Outbound
    const secrets = yield* SigningSecrets
    const steady = yield* SteadyTime
    const node = yield* Nodes
    const fibers = yield* FiberSet.make()
    const placed = new Set<DeliveryId>()
    /** Those without a claim on the log yet. */
    const starting = new Set<DeliveryId>()
    const logClaim = RateLimitedLog.make()
    const logRecord = RateLimitedLog.make()
    const logEnd = RateLimitedLog.make()

    /** The headers of an attempt that is made now (contract, "Events"). The time is that of the wall clock. */
    const sign = Effect.fnUntraced(function* (id: DeliveryId, accountId: AccountId, text: string) {
      const body = Buffer.from(text)
      const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const signature = yield* secrets.sign(accountId, { id, timestamp, body })
      const signed: Signed = {
        body,
        headers: {
          "content-type": "application/json",
          "user-agent": userAgent,
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

    /** Returns whether the receiver answered; `null` if it was not called. */
    const postAndRecord = Effect.fnUntraced(function* (id: DeliveryId, claimed: Claimed) {
      const attempt = claimed.delivery.attempts
      const since = yield* MonotonicTime.millis
      const result = yield* post(claimed).pipe(
        // The node stops: the next one makes another attempt.
        Effect.onInterrupt(() => soon(lose(id, attempt)))
      )
      const durationMs = (yield* MonotonicTime.millis) - since
      const at = yield* steady.now
      yield* untilStored(
        "What became of a webhook is not recorded yet",
        actors.execute(id, { _tag: "RecordAttempt", at, attempt, durationMs, result }),
        logRecord
      )
      return PostResult.hasAnswered(result)
    })

    const returnSlot = ({ id, load }: DeliverySlot, answered: boolean | null) =>
      Effect.sync(() => {
        placed.delete(id)
        slots.giveBack(load, answered)
      })

    /** Posts a claimed attempt and records its outcome, in a fiber of its own, and then releases the slot. */
    const send = ({ accountId, id, load }: DeliverySlot, claimed: Claimed) => {
      const slot = { accountId, id, load: slots.made(load) }
      return FiberSet.run(
        fibers,
        postAndRecord(id, claimed).pipe(
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.succeed(null)
              : Effect.as(
                  logEnd(Effect.logError("An attempt to send a webhook has no recorded end", cause)),
                  null
                )
          ),
          Effect.flatMap((answered) => Effect.andThen(returnSlot(slot, answered), onFree)),
          Effect.annotateLogs({ delivery_id: id })
        )
      )
    }

    /** Without a readable signing secret all of the account's deliveries wait, otherwise this one. */
    const postpone = <E extends { readonly _tag: string }>(
      { accountId, id }: DeliverySlot,
      cause: Cause.Cause<E>
    ) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.void
      const isUnsigned = Option.exists(
        Cause.findErrorOption(cause),
        ({ _tag }) => _tag === "SecretsUnreadable"
      )
      return Effect.andThen(
        isUnsigned ? postponed.account(accountId) : postponed.delivery(id),
        logClaim(Effect.logError("A webhook cannot be sent for now", cause)).pipe(
          Effect.annotateLogs({ delivery_id: id })
        )
      )
    }

    return {
      sign,
      send,

      /** Releases a slot without an attempt. */
      leave: (slot: DeliverySlot) => Effect.andThen(returnSlot(slot, null), onFree),

      has: (id: DeliveryId) => placed.has(id),

      /** Deliveries of this node whose claim is not on the log yet. */
      starting: (): ReadonlyArray<DeliveryId> => [...starting],

      /**
       * Runs the sequence claim → `send`, or claim → `leave`, for a delivery whose slot was taken; only the claim is
       * interruptible, with `restore`. If it fails, the delivery is postponed and its slot returned. Returns whether the
       * read models have to catch up. With a large body, which takes time, the sequence runs in a fiber of its own.
       */
      within: <E extends { readonly _tag: string }>(
        slot: DeliverySlot,
        sequence: (
          restore: <A, E1>(effect: Effect.Effect<A, E1>) => Effect.Effect<A, E1>
        ) => Effect.Effect<unknown, E>
      ): Effect.Effect<boolean> =>
        Effect.suspend(() => {
          const { id, load } = slot
          placed.add(id)
          starting.add(id)
          const claimed = () => Effect.sync(() => starting.delete(id))
          const running = Effect.uninterruptibleMask((restore) =>
            sequence((claim) => Effect.onExit(restore(claim), claimed)).pipe(
              Effect.matchCauseEffect({
                // Frees no waiting delivery: while the log refuses appends, the next one would fail, too.
                onFailure: (cause) =>
                  Effect.andThen(postpone(slot, cause), Effect.as(returnSlot(slot, null), false)),
                onSuccess: () => Effect.succeed(true)
              })
            )
          )
          return load.bytes > whileMade(inlineLimit)
            ? Effect.as(FiberSet.run(fibers, running), false)
            : running
        })
    }
  })

export type Attempts = Effect.Success<ReturnType<typeof make>>

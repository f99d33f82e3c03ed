/**
 * The attempts of this node: claim → post → record. The claim is an event on the log before anything is sent, so that neither a
 * crash nor another node sends twice. The steps are callbacks: all claims, and all records, of one turn of the event loop are
 * one commit.
 */
import { Cause, Clock, Duration, Effect, Exit, Fiber, FiberSet, Option, Result } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import type { Command } from "#domain/webhook-delivery/Command.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as DeliverySchedule from "#domain/webhook-delivery/DeliverySchedule.ts"
import type { Delivery } from "#domain/webhook-delivery/State.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { PostEnd } from "#src/kernel/outbound/Posting.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import { Payloads, refOf } from "#streams/Payload.ts"
import { untilStored } from "#src/platform/reactors/UntilStored.ts"
import * as Settled from "#src/kernel/async/Settled.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { DeliveryActors } from "../DeliveryActors.ts"
import type { LateErasing } from "../DeliveryErasing.ts"
import * as ReceiverAnswer from "../ReceiverAnswer.ts"
import * as SignedRequest from "../SignedRequest.ts"
import type { Lane } from "./Lane.ts"
import * as PendingClaims from "./PendingClaims.ts"
import * as PostResult from "./PostResult.ts"
import type { Postponed } from "./Postponed.ts"
import { type Load, type Slots, whileMade } from "./Slots.ts"
import * as StreamName from "#streams/StreamName.ts"

/** An attempt that this node has claimed. */
export interface Claimed {
  readonly delivery: Delivery
  readonly signed: SignedRequest.SignedRequest
}

/** A delivery with its slot, from before its claim until its outcome is recorded. */
export interface DeliverySlot {
  readonly id: DeliveryId
  readonly accountId: AccountId
  /** Grows when its body is read or made, and shrinks when that is done. */
  load: Load
}

type AttemptEnd = Pick<
  Extract<Command, { readonly _tag: "RecordAttempt" }>,
  "attempt" | "durationMs" | "result"
>

/** A post without an answer yet. */
interface UnderWay {
  readonly attempt: number
  readonly cancel: () => void
}

const timeout = Duration.millis(DeliverySchedule.attemptTimeoutMs)

/** How long a stop waits for the log to record lost attempts. An unreachable log must not delay it. */
const stopTimeout = "500 millis"

/** `onFree` is called when a slot of the lane has become free. */
export const make = (slots: Slots, postponed: Postponed, onFree: (lane: Lane) => void) =>
  Effect.gen(function* () {
    const actors = yield* DeliveryActors
    const outbound = yield* Outbound
    const payloads = yield* Payloads
    const sign = yield* SignedRequest.make
    const steady = yield* SteadyTime
    const node = yield* Nodes
    const clock = yield* Clock.Clock
    const fork = yield* FiberSet.makeRuntime<never>()
    const placed = new Set<DeliveryId>()
    /** Those without a claim on the log yet. */
    const starting = new Set<DeliveryId>()
    const claims = PendingClaims.make()
    const underWay = new Map<DeliveryId, UnderWay>()
    const logClaim = RateLimitedLog.make()
    const logRecord = RateLimitedLog.make()
    const logEnd = RateLimitedLog.make()
    let isStopping = false

    const release = ({ id, load }: DeliverySlot, answered: boolean | null) => {
      placed.delete(id)
      starting.delete(id)
      slots.giveBack(load, answered)
    }

    const free = (slot: DeliverySlot, answered: boolean | null) => {
      release(slot, answered)
      onFree(slot.load)
    }

    const lose = (id: DeliveryId, attempt: number) =>
      Effect.suspend(() =>
        actors.execute(id, { _tag: "LoseAttempt", at: steady.nowOf(clock), attempt, node: node.self })
      )

    /** The node stops: the next one makes another attempt. */
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isStopping = true
        const all = [...underWay]
        underWay.clear()
        const lost = Effect.forEach(
          all,
          ([id, { attempt, cancel }]) => {
            cancel()
            return Effect.ignoreCause(lose(id, attempt))
          },
          { concurrency: "unbounded", discard: true }
        )
        return Effect.flatMap(Effect.forkDetach(lost), (fiber) =>
          Effect.asVoid(Effect.timeoutOption(Fiber.await(fiber), stopTimeout))
        )
      })
    )

    const logged = (id: DeliveryId, log: typeof logEnd, message: string, cause: Cause.Cause<unknown>) =>
      log(Effect.logError(message, cause)).pipe(Effect.annotateLogs({ delivery_id: id }))

    /** Frees the slot when the outcome is on the log, which may take until the log accepts it. */
    const record = (slot: DeliverySlot, end: AttemptEnd, sealed: SealedPayload | null) => {
      const { id } = slot
      const answered = PostResult.hasAnswered(end.result)
      const answer = sealed === null ? undefined : refOf(sealed)
      const command = { _tag: "RecordAttempt", at: steady.nowOf(clock), ...end, answer } as const
      const kept = sealed === null ? [] : [sealed]
      actors.send(id, command, kept, (exit) => {
        if (Exit.isSuccess(exit)) {
          // After an erasure the answer is not on the log, and must not stay in memory.
          if (sealed !== null && exit.value.events.every((event) => !("payloads" in event)))
            Effect.runSync(payloads.discard(kept))
          return free(slot, answered)
        }
        let first: typeof exit | undefined = exit
        const again = Effect.suspend(() => {
          const failed = first
          first = undefined
          return failed ?? actors.execute(id, command, kept)
        })
        fork(
          untilStored("What became of a webhook is not recorded yet", again, logRecord).pipe(
            Effect.matchCauseEffect({
              onSuccess: () => Effect.sync(() => free(slot, answered)),
              onFailure: (cause) => withoutRecord(slot, cause)
            }),
            Effect.annotateLogs({ delivery_id: id })
          )
        )
      })
    }

    /** `null` if nothing of it is kept. What is kept is small enough to be sealed at once. */
    const sealAnswer = ({ accountId, id }: DeliverySlot, attempt: number, end: PostEnd) => {
      if (Exit.isFailure(end) || !ReceiverAnswer.isWorthKeeping(end.value)) return null
      const sealed = payloads.seal({
        owner: accountId,
        stream: StreamName.make(WebhookDelivery.aggregate.category, id),
        name: WebhookDelivery.answerName(attempt),
        text: ReceiverAnswer.textOfPayload(end.value)
      })
      return Settled.hasSucceeded(sealed) ? sealed.value : null
    }

    const withoutRecord = (slot: DeliverySlot, cause: Cause.Cause<unknown>) => {
      const told = Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : logged(slot.id, logEnd, "An attempt to send a webhook has no recorded end", cause)
      return Effect.andThen(
        told,
        Effect.sync(() => free(slot, null))
      )
    }

    /** Posts a claimed attempt, records its outcome and frees its slot. */
    const post = (slot: DeliverySlot, { delivery, signed }: Claimed) => {
      const { id } = slot
      const attempt = delivery.attempts
      slot.load = slots.made(slot.load)
      if (isStopping) {
        Effect.runFork(Effect.ignoreCause(lose(id, attempt)))
        return release(slot, null)
      }
      const since = MonotonicTime.millisOf(clock)
      const cancel = outbound.send({ url: delivery.scheduled.url, timeout, ...signed }, (end) => {
        underWay.delete(id)
        const result = PostResult.of(end)
        if (Result.isFailure(result)) fork(withoutRecord(slot, result.failure))
        else {
          const durationMs = MonotonicTime.millisOf(clock) - since
          record(slot, { attempt, durationMs, result: result.success }, sealAnswer(slot, attempt, end))
        }
      })
      underWay.set(id, { attempt, cancel })
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
        logged(id, logClaim, "A webhook cannot be sent for now", cause)
      )
    }

    /** Frees no waiting delivery: while the log refuses appends, the next one would fail, too. */
    const fail = <E extends { readonly _tag: string }>(slot: DeliverySlot, cause: Cause.Cause<E>) =>
      Effect.andThen(
        postpone(slot, cause),
        Effect.sync(() => release(slot, null))
      )

    return {
      sign,
      post,
      fail,

      /** From now on the delivery has the slot, which `post`, `leave` or `fail` returns. */
      place: (slot: DeliverySlot) => {
        placed.add(slot.id)
        starting.add(slot.id)
      },

      /** The claim is sent to the log. */
      claiming: ({ id }: DeliverySlot) => claims.begin(id),

      /** The claim is on the log, or has failed. */
      claimed: ({ id }: DeliverySlot) => {
        starting.delete(id)
        claims.end(id)
      },

      /** Waits for the claims that have been sent to the log. */
      claims: claims.all,

      /** Releases a slot without an attempt, and frees no waiting delivery. */
      drop: (slot: DeliverySlot) => release(slot, null),

      /** Releases a slot without an attempt. */
      leave: (slot: DeliverySlot) => free(slot, null),

      has: (id: DeliveryId) => placed.has(id),

      /** Deliveries of this node whose claim is not on the log yet. */
      starting: (): ReadonlyArray<DeliveryId> => [...starting],

      /** Continues with an effect that has to wait for something. */
      fork: <E extends { readonly _tag: string }>(slot: DeliverySlot, effect: Effect.Effect<unknown, E>) =>
        fork(Effect.catchCause(effect, (cause) => fail(slot, cause))),

      /**
       * Runs what precedes the claim of a delivery that has its slot, and then `claim`: at once if `prepared` is an `Exit`. If
       * that fails, the delivery is postponed and its slot returned. Returns whether the read models have to catch up. What
       * needs a large body, which takes time, runs in a fiber of its own.
       */
      prepare: <A, E extends { readonly _tag: string }>(
        slot: DeliverySlot,
        prepared: Effect.Effect<A, E>,
        claim: (prepared: A) => void
      ): Effect.Effect<boolean> => {
        if (Settled.hasSucceeded(prepared)) {
          claim(prepared.value)
          return Effect.succeed(true)
        }
        const running = Effect.matchCauseEffect(prepared, {
          onFailure: (cause) => Effect.as(fail(slot, cause), false),
          onSuccess: (found) =>
            Effect.sync(() => {
              claim(found)
              return true
            })
        })
        return slot.load.bytes > whileMade(inlineLimit)
          ? Effect.sync(() => {
              fork(running)
              return false
            })
          : Effect.onInterrupt(running, () => Effect.sync(() => release(slot, null)))
      }
    }
  })

type Attempts = Effect.Success<ReturnType<typeof make>>

/** What those share that claim deliveries. */
export interface ClaimServices {
  readonly slots: Slots
  readonly attempts: Attempts
  readonly late: LateErasing
  /** There was no room for a body. */
  readonly noteNoRoom: () => void
}

/** Storing a request under its hold: reserved before the append, and given back when nothing comes of it. */
import { Cause, Effect, Exit, Fiber, Result } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { zero } from "#domain/Money.ts"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import { Payloads } from "#streams/Payload.ts"
import * as PayloadRefs from "#streams/PayloadRefs.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import type { Reserved, Wanted } from "#src/features/funds/FundsCells.ts"
import { BudgetExceeded, InsufficientBalance, TooManyOpenRequests } from "./Requests.ts"

type Refused = InsufficientBalance | BudgetExceeded | TooManyOpenRequests

/** What the append led to: no events when the request had been stored before. */
interface Appended {
  readonly events: ReadonlyArray<unknown>
}

export interface Held<A, E, E2> extends Wanted {
  readonly requestId: RequestId
  readonly seal: Effect.Effect<SealedPayload, E>
  readonly append: (input: SealedPayload) => Effect.Effect<A, E2>
}

/** What a client is told to wait for one of its requests to end, seconds. */
const openRetrySeconds = 5

/** How long a submit that failed waits until the log has told whether it is there; that goes on after it. */
const patience = "2 seconds"

/**
 * Nothing interrupts between the reserve and the end of the append: a client that goes away leaves money held for no
 * request no more than it leaves a request without a hold. A refusal has seen all that was on the log before it.
 */
export const make = Effect.gen(function* () {
  const funds = yield* Funds
  const payloads = yield* Payloads
  const scope = yield* Effect.scope

  const refused = (kind: Exclude<Reserved, "ok">, wanted: Wanted): Effect.Effect<never, Refused> => {
    const required = wanted.hold
    switch (kind) {
      case "insufficient": {
        const { available } = funds.of(wanted.accountId)
        return Effect.fail(new InsufficientBalance({ required, available }))
      }
      case "over_budget": {
        const limit = wanted.budget ?? zero
        return Effect.fail(new BudgetExceeded({ limit, required, ...funds.ofKey(wanted) }))
      }
      case "too_many_open": {
        const limit = funds.of(wanted.accountId).limits.maxOpenRequests ?? 0
        return Effect.fail(new TooManyOpenRequests({ limit, retryAfterSeconds: openRetrySeconds }))
      }
    }
  }

  const takeBack = (requestId: RequestId, input: SealedPayload) => {
    funds.cancel(requestId)
    return payloads.discard([input])
  }

  /** Waits for the log, unless it is known that it does not have the request: it may be away for long. */
  const settle = Effect.fnUntraced(function* <E>(
    cause: Cause.Cause<E>,
    requestId: RequestId,
    input: SealedPayload
  ) {
    if (isAbsent(cause)) return yield* takeBack(requestId, input)
    const settling = Effect.flatMap(funds.settle(requestId), (submitted) =>
      submitted !== null && names(submitted, input) ? Effect.void : payloads.discard([input])
    )
    const fiber = yield* Effect.forkIn(Effect.interruptible(settling), scope)
    yield* Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), patience))
  })

  const store = <A extends Appended, E, E2>({ append, requestId, seal }: Held<A, E, E2>) =>
    Effect.matchCauseEffect(seal, {
      onFailure: (cause) => {
        funds.cancel(requestId)
        return Effect.failCause(cause)
      },
      onSuccess: (input) =>
        Effect.flatMap(
          Effect.onExitPrimitive(append(input), (exit) =>
            Exit.isFailure(exit) ? settle(exit.cause, requestId, input) : undefined
          ),
          (appended) => {
            if (appended.events.length > 0) return Effect.succeed(appended)
            return Effect.as(takeBack(requestId, input), appended)
          }
        )
    })

  /** What `ask` refuses is asked once more with all that was on the log before. */
  const unlessRefused = (
    wanted: Wanted,
    ask: () => Reserved
  ): Effect.Effect<void, Refused | ReadModelBehind> =>
    Effect.suspend(() => {
      if (!funds.isLevel()) {
        return Effect.andThen(Effect.interruptible(funds.levelled), unlessRefused(wanted, ask))
      }
      if (ask() === "ok") return Effect.void
      return Effect.flatMap(Effect.interruptible(funds.caughtUp), () => {
        const answer = ask()
        return answer === "ok" ? Effect.void : refused(answer, wanted)
      })
    })

  return {
    store: <A extends Appended, E, E2>(held: Held<A, E, E2>) => {
      const reserved = unlessRefused(held, () => funds.reserve(held.requestId, held))
      return Effect.uninterruptible(Effect.flatMap(reserved, () => store(held)))
    },
    /** Fails as `store` would for a request that has no hold, and takes nothing. */
    check: (wanted: Wanted) => unlessRefused(wanted, () => funds.affords(wanted))
  }
})

const isAbsent = (cause: Cause.Cause<unknown>): boolean => {
  const found = Cause.findError(cause)
  return (
    Result.isSuccess(found) && found.success instanceof EventStoreError && found.success.isAbsent === true
  )
}

/** Not so when the request on the log is that of a twin, under the same key. */
const names = (submitted: RecordedEvent, { hash, name }: SealedPayload): boolean =>
  PayloadRefs.of(submitted).some(([named, ref]) => named === name && ref.hash === hash)

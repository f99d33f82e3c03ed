/** The hold of a submit: reserved before the input is sealed, and released if the submit fails. */
import { Cause, Effect, Exit, Fiber, Result } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { zero } from "#domain/Money.ts"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import { Payloads } from "#streams/Payload.ts"
import * as PayloadRefs from "#streams/PayloadRefs.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as Later from "#src/kernel/async/Later.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import type { Reserved, HoldTerms } from "#src/features/funds/FundsCells.ts"
import { BudgetExceeded, InsufficientBalance, TooManyOpenRequests } from "./Requests.ts"

type Refused = InsufficientBalance | BudgetExceeded | TooManyOpenRequests

/** The result of an append. No events: the request was on the log before. */
interface Appended {
  readonly events: ReadonlyArray<unknown>
}

interface RequestHold extends HoldTerms {
  readonly requestId: RequestId
}

/** `Retry-After` of an account with too many open requests, in seconds. */
const openRetrySeconds = 5

/** How long a failed submit waits until it is known whether the request is on the log. Settling continues after that. */
const patience = "2 seconds"

/**
 * `take`, `sealing` and `appended` are called in this order without interruption: if the client disconnects, the hold and
 * the request are both kept or both dropped. A refusal considers everything that was on the log when it was decided.
 */
export const make = Effect.gen(function* () {
  const funds = yield* Funds
  const payloads = yield* Payloads
  const scope = yield* Effect.scope

  const refused = (kind: Exclude<Reserved, "ok">, wanted: HoldTerms): Effect.Effect<never, Refused> => {
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

  const release = (requestId: RequestId, input: SealedPayload) => {
    funds.cancel(requestId)
    return payloads.discard([input])
  }

  /** Waits for the log for a while, unless the append is known to have failed. */
  const settle = Effect.fnUntraced(function* <E>(
    cause: Cause.Cause<E>,
    requestId: RequestId,
    input: SealedPayload
  ) {
    if (isAbsent(cause)) return yield* release(requestId, input)
    const settling = Effect.flatMap(funds.settle(requestId), (submitted) =>
      submitted !== null && names(submitted, input) ? Effect.void : payloads.discard([input])
    )
    const fiber = yield* Effect.forkIn(Effect.interruptible(settling), scope)
    yield* Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), patience))
  })

  /** Asks again with everything on the log before it refuses. */
  const unlessRefused = (
    wanted: HoldTerms,
    ask: () => Reserved
  ): Effect.Effect<void, Refused | ReadModelBehind> => {
    if (!funds.isLevel()) {
      return Effect.flatMap(Effect.interruptible(funds.levelled), () => unlessRefused(wanted, ask))
    }
    if (ask() === "ok") return Effect.void
    return Effect.flatMap(Effect.interruptible(funds.caughtUp), () => {
      const answer = ask()
      return answer === "ok" ? Effect.void : refused(answer, wanted)
    })
  }

  return {
    /** Reserves the hold, at once where the account can pay: the result is then an `Exit`. */
    take: (held: RequestHold): Effect.Effect<void, Refused | ReadModelBehind> =>
      unlessRefused(held, () => funds.reserve(held.requestId, held)),
    /** Releases the hold if the input cannot be sealed. */
    sealing: <E>(requestId: RequestId, seal: Effect.Effect<SealedPayload, E>) =>
      Later.andThen(seal, (exit) => {
        if (Exit.isFailure(exit)) funds.cancel(requestId)
        return exit
      }),
    /** Releases the hold and discards the input unless the append created the request. */
    appended: <A extends Appended, E>(
      requestId: RequestId,
      input: SealedPayload,
      exit: Exit.Exit<A, E>
    ): Effect.Effect<A, E> => {
      if (Exit.isFailure(exit)) return Effect.andThen(settle(exit.cause, requestId, input), exit)
      return exit.value.events.length > 0 ? exit : Effect.andThen(release(requestId, input), exit)
    },
    /** Fails as `take` would, and reserves nothing. */
    check: (wanted: HoldTerms) => unlessRefused(wanted, () => funds.affords(wanted))
  }
})

const isAbsent = (cause: Cause.Cause<unknown>): boolean => {
  const found = Cause.findError(cause)
  return (
    Result.isSuccess(found) && found.success instanceof EventStoreError && found.success.isAbsent === true
  )
}

/** False when the request on the log is another one, submitted under the same key. */
const names = (submitted: RecordedEvent, { hash, name }: SealedPayload): boolean =>
  PayloadRefs.of(submitted).some(([named, ref]) => named === name && ref.hash === hash)

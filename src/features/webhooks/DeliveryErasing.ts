/** Erases the stored body of a delivery, and the answers of its receiver, together with the request's input and output. */
import { Clock, Effect, Stream } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { PayloadRef } from "#domain/PayloadRef.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { DeliveryScheduled } from "#domain/webhook-delivery/Event.ts"
import type { Delivery } from "#domain/webhook-delivery/State.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { DeliveryActors } from "./DeliveryActors.ts"

interface NamedPayload {
  readonly name: string
  readonly ref: PayloadRef
}

/** The payloads that an erasure removes. */
export const payloadsOf = ({ answers, scheduled }: Delivery): ReadonlyArray<NamedPayload> => [
  { name: WebhookDelivery.bodyName, ref: scheduled.payloads.body },
  ...answers
]

/** Erased when it returns, and never sent after that. No effect on a missing delivery; a repeat finishes the rest. */
export const make = Effect.gen(function* () {
  const actors = yield* DeliveryActors
  const payloads = yield* Payloads

  return Effect.fn("DeliveryErasing.erase")(function* (id: DeliveryId) {
    // Another node may just have scheduled it.
    const known = yield* actors.refresh(id)
    if (known.state._tag === "NotScheduled") return
    const at = yield* Clock.currentTimeMillis
    const { state } = yield* actors
      .execute(id, { _tag: "Erase", at })
      .pipe(
        Effect.catchTag(["DeliveryNotFound", "AttemptNotDue", "DeliveryInProgress", "BodyErased"], Effect.die)
      )
    if (state._tag === "NotScheduled") return
    const owner = state.scheduled.accountId
    const stream = StreamName.make(WebhookDelivery.aggregate.category, id)
    yield* Effect.forEach(
      payloadsOf(state),
      ({ name, ref }) => payloads.removeErased({ owner, stream, name, ref }),
      { discard: true }
    )
  })
})

/** For deliveries that were scheduled while their request was erased. */
export const makeLate = Effect.gen(function* () {
  const requests = yield* RequestActors
  const node = yield* Nodes
  const erase = yield* make
  const since = (yield* SteadyTime).nowOf(yield* Clock.Clock)
  let isComplete = node.live().length < 2
  const missed = () => {
    isComplete = false
  }
  yield* Effect.forkScoped(Stream.runForEach(node.changes, () => Effect.sync(missed)))

  return {
    /** Returns whether it has been erased. */
    eraseIfLate: Effect.fnUntraced(function* (id: DeliveryId, requestId: RequestId) {
      const isAlone = node.live().length < 2
      const { state } = yield* isAlone ? requests.current(requestId) : requests.refresh(requestId)
      if (state._tag === "NotSubmitted" || state.erasure === null) return false
      yield* erase(id)
      return true
    }),

    /** A delivery may have been scheduled without `eraseIfLate` after it. */
    missed,

    /** Whether `eraseIfLate` was called for it: every delivery that this process scheduled, unless one was missed. */
    isChecked: ({ at }: DeliveryScheduled) => isComplete && at > since
  }
})

export type LateErasing = Effect.Success<typeof makeLate>

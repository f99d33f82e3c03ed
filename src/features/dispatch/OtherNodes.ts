/**
 * Reacts to what other nodes did to requests: stops runs whose end is on the log, forgets erased payload texts, also
 * those of webhooks, and takes over deadlines. Only with several nodes; a single node has done all of this itself.
 */
import { Effect, Layer, Stream } from "effect"
import { RequestId } from "#domain/Ids.ts"
import * as Erasing from "#domain/inference-request/Erasing.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import { EventReader } from "#streams/EventReader.ts"
import { Payloads } from "#streams/Payload.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as AbsoluteDeadlines from "#src/features/requests/AbsoluteDeadlines.ts"
import { DeadlineHints } from "#src/features/requests/DeadlineHints.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { DeliveryActors } from "#src/features/webhooks/DeliveryActors.ts"
import * as DeliveryErasing from "#src/features/webhooks/DeliveryErasing.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { Runs } from "./Runs.ts"

const { category, codec } = InferenceRequest.aggregate

/** Requests read at the same time. */
const concurrency = 16

const unlessBroken = <E>(action: Effect.Effect<void, E>) =>
  Effect.catchDefect(action, (defect) => Effect.logError("An event of another node cannot be read", defect))

const make = Effect.gen(function* () {
  const actors = yield* RequestActors
  const steady = yield* SteadyTime
  const deliveries = yield* DeliveryActors
  const hints = yield* DeadlineHints
  const payloads = yield* Payloads
  const reader = yield* EventReader
  const runs = yield* Runs
  let position = yield* reader.head

  /** This node's own run ends before its end is on the log, so stopping it has no effect. */
  const stop = (id: RequestId, event: RecordedEvent) =>
    Effect.suspend(() => {
      const ended = codec.decode(event)
      return runs.stop(id, "attempt" in ended ? ended.attempt : Infinity)
    })

  const hint = (event: RecordedEvent) =>
    // Most have none and need not be decoded.
    event.text.includes(`"deadlines":`)
      ? Effect.sync(() => {
          const submitted = codec.decode(event)
          if (submitted._tag === "RequestSubmitted" && submitted.deadlines !== undefined)
            hints.hint(AbsoluteDeadlines.earliest(submitted.deadlines))
        })
      : null

  /** Large payloads are never in memory, and the erasing node removes their blobs. */
  const forget = Effect.fnUntraced(function* (id: RequestId, stream: StreamName.StreamName) {
    const { state } = yield* actors.refresh(id)
    if (state._tag === "NotSubmitted") return
    const { accountId: owner } = state.submitted
    const inMemory = Erasing.payloadsOf(state).filter(({ ref }) => ref.size <= inlineLimit)
    yield* Effect.forEach(inMemory, ({ name, ref }) => payloads.removeErased({ owner, stream, name, ref }), {
      discard: true
    })
  })

  const forgetBody = Effect.fnUntraced(function* (id: string, stream: StreamName.StreamName) {
    const { state } = yield* deliveries.refresh(id)
    if (state._tag === "NotScheduled") return
    const owner = state.scheduled.accountId
    const inMemory = DeliveryErasing.payloadsOf(state).filter(({ ref }) => ref.size <= inlineLimit)
    yield* Effect.forEach(inMemory, ({ name, ref }) => payloads.removeErased({ owner, stream, name, ref }), {
      discard: true
    })
  })

  /** `null`: no reaction. */
  const actionOf = (event: RecordedEvent, id: RequestId) => {
    const { type } = event
    if (!codec.isType(type)) return null
    switch (type) {
      case "RequestSubmitted":
        return hint(event)
      case "OutputReceived":
      case "RequestRequeued":
      case "SweepRetried":
      case "RequestCompleted":
      case "RequestFailed":
      case "RequestForceFailed":
      case "RequestCancelled":
        return runs.has(id) ? stop(id, event) : null
      case "PayloadsErased":
        return forget(id, event.stream)
      case "DispatchStarted":
      case "ProviderAccepted":
      case "RunTakenOver":
      case "RequestStarted":
      case "ProgressReported":
      case "OutputRejected":
      case "CancelRequested":
      case "LateOutcomeIgnored":
      case "MediaStored":
      case "ErasedFilesRemoved":
        return null
    }
  }

  const followDelivery = ({ stream, type }: RecordedEvent) => {
    if (type !== "PayloadsErased") return []
    const id = StreamName.idOf(stream)
    return [Effect.annotateLogs(unlessBroken(forgetBody(id, stream)), { delivery_id: id })]
  }

  const follow = (event: RecordedEvent) => {
    const of = StreamName.categoryOf(event.stream)
    if (of === WebhookDelivery.aggregate.category) return followDelivery(event)
    if (of !== category) return []
    const id = RequestId.make(StreamName.idOf(event.stream))
    const action = actionOf(event, id)
    return action === null ? [] : [Effect.annotateLogs(unlessBroken(action), { request_id: id })]
  }

  const followAll = Effect.gen(function* () {
    // Reads earlier deadlines once, because the events from here on do not contain them.
    hints.hint(yield* steady.now)
    const events = reader.subscribe(position)
    yield* Stream.runForEachArray(events, (page) =>
      Effect.andThen(
        Effect.forEach(page.flatMap(follow), (action) => action, { concurrency, discard: true }),
        Effect.sync(() => (position = page[page.length - 1]?.position ?? position))
      )
    )
  })

  return supervise("Following what other nodes do", followAll)
})

export const layer = Layer.effectDiscard(Effect.flatMap(make, Effect.forkScoped))

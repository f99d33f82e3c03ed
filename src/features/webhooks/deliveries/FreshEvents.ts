/**
 * Webhook events of requests in memory, handed over from the commit, so that they need not go through a read model first. What is
 * lost here, by a restart for example, is found in the read model.
 */
import { Effect } from "effect"
import { endings } from "#domain/inference-request/Ending.ts"
import { RequestStarted, type WebhookEventName } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { RequestId } from "#domain/Ids.ts"
import type { OwedDelivery } from "#projections/deliveries/DueDeliveries.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"

/** The most that wait here. */
const capacity = 4_096

const events: ReadonlyMap<string, WebhookEventName> = new Map([
  [RequestStarted.fields._tag.schema.literal, "start"],
  ...endings.map(({ fields }) => [fields._tag.schema.literal, "completed"] as const)
])

interface FreshEvents {
  /** Removes and returns the events of the commits since the last call. */
  readonly take: () => ReadonlyArray<OwedDelivery>
}

/** Calls `serve` once in a turn of the event loop with new events, after the actors have them. */
export const make = Effect.fnUntraced(function* (serve: () => void) {
  const reader = yield* EventReader
  const requests = yield* RequestActors
  let position = yield* reader.head
  let fresh: Array<OwedDelivery> = []

  const note = (stream: StreamName.StreamName, event: WebhookEventName) => {
    if (StreamName.categoryOf(stream) !== InferenceRequest.aggregate.category) return
    const id = StreamName.idOf(stream)
    const state = requests.peek(id)?.state
    if (state?._tag !== "Request" || fresh.length === capacity) return
    if (state.submitted.webhook?.events.includes(event) !== true) return
    if (fresh.length === 0) setImmediate(serve)
    fresh.push({ requestId: RequestId.make(id), event })
  }

  const follow = Effect.suspend(() =>
    reader.follow(position, (committed) => {
      for (const { stream, type } of committed) {
        const event = events.get(type)
        if (event !== undefined) note(stream, event)
      }
      position = committed.at(-1)?.position ?? position
    })
  )
  yield* Effect.forkScoped(supervise("Following the log for webhooks", follow))

  const handover: FreshEvents = {
    take: () => {
      const taken = fresh
      fresh = []
      return taken
    }
  }
  return handover
})

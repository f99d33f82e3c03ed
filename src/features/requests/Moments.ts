/** What a request and its deliveries were after each event: the aggregates' own folds. */
import { Effect } from "effect"
import * as RequestState from "#domain/inference-request/State.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as DeliveryState from "#domain/webhook-delivery/State.ts"
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import type { Happening, Source } from "./Happening.ts"
import * as MergedEvents from "./MergedEvents.ts"

export interface Moment {
  readonly request: RequestState.Request
  /** How far the steady clock was ahead of the wall clock at the request's last event, ms. */
  readonly ahead: number
  /** The deliveries that were scheduled by then, in that order. */
  readonly deliveries: ReadonlyMap<DeliveryId, DeliveryState.Delivery>
}

interface Part extends MergedEvents.Part, Pick<Source, "parse"> {}

/** Events parsed before other fibers run: about 1 ms. */
const stride = 100

/**
 * The moments after those events.
 * @param parts whole streams. They are parsed up to the last of `shown`.
 * @param shown positions of events in them.
 */
export const after = Effect.fnUntraced(function* (
  parts: ReadonlyArray<Part>,
  shown: ReadonlyArray<GlobalPosition>
) {
  const found = new Map<GlobalPosition, Moment>()
  const last = shown.at(-1)
  if (last === undefined) return found
  const wanted = new Set(shown)
  const until = parts.map((part) => ({
    ...part,
    events: part.events.slice(0, MergedEvents.reached(part.events, last))
  }))
  const all = until.reduce((sum, { events }) => sum + events.length, 0)
  const merged = yield* MergedEvents.slice(until, { after: null, skipped: 0, limit: all })
  let fold = start
  for (const [index, { event, part }] of merged.entries()) {
    if (index % stride === stride - 1) yield* Effect.yieldNow
    fold = next(fold, part.parse(event))
    const { request } = fold
    if (wanted.has(event.position) && request._tag === "Request") {
      found.set(event.position, { ...fold, request })
    }
  }
  return found
})

type Fold = Omit<Moment, "request"> & { readonly request: RequestState.State }

const start: Fold = { request: RequestState.initial, ahead: 0, deliveries: new Map() }

const next = (fold: Fold, happening: Happening): Fold => {
  if (happening._tag === "OfRequest") {
    const { event } = happening
    return { ...fold, request: RequestState.evolve(fold.request, event), ahead: event.ahead ?? 0 }
  }
  const { deliveryId, event } = happening
  const delivery = DeliveryState.evolve(fold.deliveries.get(deliveryId) ?? DeliveryState.initial, event)
  return delivery._tag === "NotScheduled"
    ? fold
    : { ...fold, deliveries: new Map(fold.deliveries).set(deliveryId, delivery) }
}

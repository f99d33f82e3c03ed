/** Merges events of several streams in the order of the log without parsing them. */
import { Effect } from "effect"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

/** The events of one stream, oldest first. */
export interface Part {
  readonly events: ReadonlyArray<RecordedEvent>
}

interface Found<P> {
  readonly event: RecordedEvent
  /** The stream. */
  readonly part: P
}

/** Events skipped before other fibers run: about 100 µs. */
const stride = 1_000

/** How many events of a stream lie at or before `position`. */
export const reached = (
  events: ReadonlyArray<RecordedEvent>,
  position: GlobalPosition.GlobalPosition
): number => {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const event = events[middle]
    if (event !== undefined && GlobalPosition.isReached(event.position, position)) low = middle + 1
    else high = middle
  }
  return low
}

/** Up to `limit` events, after `after` and after `skipped` more. */
export const slice = Effect.fnUntraced(function* <P extends Part>(
  parts: ReadonlyArray<P>,
  options: {
    readonly after: GlobalPosition.GlobalPosition | null
    readonly skipped: number
    readonly limit: number
  }
) {
  const { after, limit, skipped } = options
  const heads = parts.map((part) => ({
    part,
    next: after === null ? 0 : reached(part.events, after)
  }))
  const found: Array<Found<P>> = []
  for (let step = 0; step < skipped + limit; step++) {
    if (step % stride === stride - 1) yield* Effect.yieldNow
    let oldest: (Found<P> & { readonly head: (typeof heads)[number] }) | undefined
    for (const head of heads) {
      const event = head.part.events[head.next]
      if (event === undefined) continue
      if (oldest === undefined || GlobalPosition.order(event.position, oldest.event.position) < 0) {
        oldest = { event, part: head.part, head }
      }
    }
    if (oldest === undefined) break
    oldest.head.next++
    if (step >= skipped) found.push({ event: oldest.event, part: oldest.part })
  }
  return found
})

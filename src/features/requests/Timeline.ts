/** The events of a request and of its deliveries (decisions, "Timeline"), from the log, so that it is never behind. */
import { Context, Effect, Layer } from "effect"
import * as Page from "#projections/Page.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import type * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as Happening from "./Happening.ts"
import * as MergedEvents from "./MergedEvents.ts"
import * as Moments from "./Moments.ts"
import { type RequestForbidden, type RequestNotFound, Requests } from "./Requests.ts"

/** The place of an event in the hash chain of its stream (`EventChain`). */
interface Link {
  /** Number of the event in its stream, from 0. */
  readonly ordinal: number
  /** `null` for the first event. */
  readonly previous: string | null
  readonly hash: string
}

export interface TimelineEntry {
  readonly position: GlobalPosition.GlobalPosition
  readonly happening: Happening.Happening
  /** `null` if not requested. */
  readonly link: Link | null
  /** What the request and its deliveries were after the event. `null` if not requested. */
  readonly moment: Moments.Moment | null
}

/** Details that the timeline can add to each event. */
export type Expansion = "hashes" | "states"
export const expansions: ReadonlyArray<Expansion> = ["hashes", "states"]

type TimelineOptions = Parameters<Requests["Service"]["get"]>[0] &
  Page.PageRequest<GlobalPosition.GlobalPosition> & {
    /** Events of that type only. */
    readonly type?: string | undefined
    readonly expand: ReadonlySet<Expansion>
  }

export class Timeline extends Context.Service<
  Timeline,
  {
    /**
     * A page in the order of the log, as of one moment: the `page`th page from 1, or the page after `after`.
     *
     * The streams are read whole, but only the events of the page are parsed: a delivery may have many events, because each
     * replay adds up to ten attempts. With `states`, the events before the page are parsed too.
     */
    read(
      options: TimelineOptions
    ): Effect.Effect<
      Page.PageWithTotal<TimelineEntry, GlobalPosition.GlobalPosition>,
      RequestNotFound | RequestForbidden | EventStoreError
    >
  }
>()("inferlog/src/features/requests/Timeline") {
  static readonly layer = Layer.effect(
    Timeline,
    Effect.gen(function* () {
      const requests = yield* Requests
      const reader = yield* EventReader

      const wholeOf = (source: Happening.Source) =>
        Effect.andThen(
          Effect.yieldNow,
          Effect.map(reader.read(source.stream), (events) => ({ ...source, events }))
        )

      const read: Timeline["Service"]["read"] = Effect.fn("Timeline.read")(function* ({
        after,
        expand,
        limit,
        page,
        type,
        ...options
      }) {
        const { id } = yield* requests.get(options)
        // Streams are read one after the other. Without this bound, an event appended in between would show without an earlier one.
        const head = yield* reader.head
        const streams = yield* Effect.all(Happening.sourcesOf(id).map(wholeOf), {
          concurrency: "unbounded"
        })
        const whole = streams.map((part) => ({
          ...part,
          events: part.events.slice(0, MergedEvents.reached(part.events, head))
        }))
        const parts = whole.map((part) => ({
          ...part,
          whole: part.events,
          events: type === undefined ? part.events : part.events.filter((event) => event.type === type)
        }))
        const skipped = after === null ? (page - 1) * limit : 0
        const shown = yield* MergedEvents.slice(parts, { after, skipped, limit: limit + 1 })
        const { items, next } = Page.cut(shown, limit, ({ event }) => event.position)
        const moments = expand.has("states")
          ? yield* Moments.after(
              whole,
              items.map(({ event }) => event.position)
            )
          : null
        return {
          total: parts.reduce((sum, { events }) => sum + events.length, 0),
          items: items.map(({ event, part }) => ({
            position: event.position,
            happening: part.parse(event),
            link: expand.has("hashes") ? linkOf(event, part.whole) : null,
            moment: moments?.get(event.position) ?? null
          })),
          next
        }
      })

      return Timeline.of({ read })
    })
  )
}

/** @param events of its whole stream. */
const linkOf = ({ hash, ordinal }: RecordedEvent, events: ReadonlyArray<RecordedEvent>): Link => ({
  ordinal,
  previous: events[ordinal - 1]?.hash ?? null,
  hash
})

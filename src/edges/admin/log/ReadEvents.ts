/** `GET /admin/v1/log/events`: the events of the log as lines of JSON. */
import { Effect, Option, Stream } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import type { Operator } from "#src/features/operators/Operator.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as TailRead from "#streams/TailRead.ts"
import * as EventLine from "./EventLine.ts"
import { permit } from "../Permit.ts"
import { invalid, lines, streamed, textsOf } from "./Lines.ts"

/** Events that a reader may ask for from the end of the log. */
const mostLast = 10_000

const position = (description: string) =>
  ListParameters.text(description, { type: "string", pattern: "^\\d{1,19}(\\.\\d{1,9})?$" })

const endpoint = HttpApiEndpoint.get("admin.readLog", "/admin/v1/log/events", {
  query: {
    after: position("Only events after this position."),
    until: position("Only events up to this position; not with `follow`."),
    last: ListParameters.text("Only the last so many events that match; not with `after`.", {
      type: "integer",
      minimum: 0,
      maximum: mostLast
    }),
    type: ListParameters.texts("Only events of this type; may be repeated."),
    stream: ListParameters.text("Only events of this stream."),
    follow: ListParameters.text("Goes on with new events until the client leaves.", { type: "boolean" })
  },
  success: lines("A line for each event, as `log export` writes it, oldest first."),
  error: [...CommonResponses.usual]
})
  .annotate(OpenApi.Identifier, "readLog")
  .annotate(OpenApi.Summary, "The events of the log")
  .annotate(
    OpenApi.Description,
    "As lines of JSON, without inputs and outputs. With `follow`, empty lines keep the connection open.\n\nRole: `auditor`."
  )

const positionOf = (name: string, text: string | undefined) => {
  if (text === undefined) return Effect.succeed(null)
  return Option.match(GlobalPosition.GlobalPosition.makeOption(text), {
    onNone: () => invalid(name, "must be a position of the log"),
    onSome: (found) => Effect.succeed(found)
  })
}

interface Range {
  readonly after: GlobalPosition.GlobalPosition
  readonly until: GlobalPosition.GlobalPosition | null
  readonly last: number | null
  readonly follow: boolean
  readonly stream: StreamName.StreamName | null
  readonly matches: (event: RecordedEvent) => boolean
}

const rangeOf = Effect.fnUntraced(function* ({ query }: Pick<Route.Call<typeof endpoint>, "query">) {
  const after = yield* positionOf("after", query.after)
  const until = yield* positionOf("until", query.until)
  const follow = query.follow === "true"
  if (query.follow !== undefined && !follow && query.follow !== "false") {
    return yield* invalid("follow", "must be true or false")
  }
  if (follow && until !== null) return yield* invalid("until", "must not be given beside follow")
  const last = query.last === undefined ? null : Number(query.last)
  if (last !== null && (!/^\d{1,5}$/.test(query.last ?? "") || last > mostLast)) {
    return yield* invalid("last", `must be a number from 0 to ${mostLast}`)
  }
  if (last !== null && after !== null) return yield* invalid("after", "must not be given beside last")
  const types = new Set(textsOf(query.type))
  return {
    after: after ?? GlobalPosition.beginning,
    until,
    last,
    follow,
    stream: query.stream === undefined ? null : StreamName.trusted(query.stream),
    matches: (event: RecordedEvent) =>
      (types.size === 0 || types.has(event.type)) &&
      (query.stream === undefined || event.stream === query.stream)
  } satisfies Range
})

const upTo =
  (end: GlobalPosition.GlobalPosition | null) =>
  ({ position }: RecordedEvent): boolean =>
    end === null || GlobalPosition.isReached(position, end)

/** The events up to `end` that are on the log already. */
const stored = Effect.fnUntraced(function* (range: Range, end: GlobalPosition.GlobalPosition | null) {
  const reader = yield* EventReader
  const { after, last, matches, stream } = range
  const isIn = upTo(end)
  if (stream !== null) {
    // Streams are short.
    const found = (yield* reader.read(stream)).filter(
      (event) => matches(event) && isIn(event) && !GlobalPosition.isReached(event.position, after)
    )
    return Stream.fromIterable(
      last === null ? found : found.slice(found.length - Math.min(last, found.length))
    )
  }
  if (last === null) return Stream.takeWhile(reader.readAll(after), isIn)
  const first = yield* TailRead.start({ end: end ?? (yield* reader.head), limit: last, matches })
  if (Option.isNone(first)) return Stream.empty
  return reader.readAll(reader.stepBack(first.value, 1)).pipe(
    Stream.filter(({ position }) => GlobalPosition.isReached(first.value, position)),
    Stream.takeWhile(isIn)
  )
})

const chosen = (range: Range) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const reader = yield* EventReader
      if (!range.follow) return yield* stored(range, range.until)
      if (range.last === null) return reader.subscribe(range.after)
      const head = yield* reader.head
      return Stream.concat(yield* stored(range, head), reader.subscribe(head))
    })
  ).pipe(Stream.filter(range.matches))

/** Reads of the log at a time, on each node. */
const mostReaders = 16

const keepAlive = "15 seconds"

const tooMany = ErrorAnswer.busy(`This node serves ${mostReaders} readers of its log already.`, 5)

export const readEvents = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const reader = yield* EventReader
    let open = 0
    const place = Effect.acquireRelease(
      Effect.sync(() => void open++),
      () => Effect.sync(() => void open--)
    )

    return Effect.fnUntraced(function* (call: Route.Call<typeof endpoint>, operator: Operator) {
      yield* permit(operator, "auditor")
      const range = yield* rangeOf(call)
      if (open >= mostReaders) return yield* tooMany
      const texts = Stream.map(Stream.provideService(chosen(range), EventReader, reader), EventLine.json)
      const idle = Stream.map(Stream.tick(keepAlive), () => "\n")
      const alive = range.follow ? Stream.merge(texts, idle, { haltStrategy: "left" }) : texts
      return streamed(Stream.unwrap(Effect.as(place, alive)))
    })
  })
)

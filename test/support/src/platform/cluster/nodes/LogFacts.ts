/** The log as seen by the test over a direct connection: for waits and checks. */
import { Effect, Result, Schedule, type Scope, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as JetStreamEventReader from "#streams/nats/JetStreamEventReader.ts"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Until from "#test/support/Until.ts"

/** Events of requests, by their ids, in the order of the log. */
export type Requests = ReadonlyMap<string, ReadonlyArray<RecordedEvent>>

export interface LogFacts {
  /** So far. */
  readonly requests: () => Requests
  /** Waits until `find` returns a result, and returns it. Fails after 40 s by default, because servers do it. */
  readonly until: <A>(
    what: string,
    find: (requests: Requests) => A | null,
    limit?: Until.Limit
  ) => Effect.Effect<A>
  /** Waits until all requests, including these, have ended. Returns all as they were seen to be appended. */
  readonly quiet: (ids: ReadonlyArray<string>) => Effect.Effect<Requests>
  /** All as read again from the log. */
  readonly recorded: Effect.Effect<Requests>
}

export const terminal: ReadonlySet<string> = new Set([
  "RequestCompleted",
  "RequestFailed",
  "RequestForceFailed",
  "RequestCancelled"
])

const isRequest = ({ stream }: RecordedEvent) => StreamName.categoryOf(stream) === "InferenceRequest"

const byRequest = (events: ReadonlyArray<RecordedEvent>): Requests =>
  Map.groupBy(events.filter(isRequest), ({ stream }) => StreamName.idOf(stream))

export const isOver = (events: ReadonlyArray<RecordedEvent>): boolean =>
  events.some(({ type }) => terminal.has(type))

/** For messages. */
export const told = ({ data, type }: RecordedEvent): string =>
  type === "DispatchStarted" ? `${type} at ${data["node"]}` : type

/** The current or last node of the request. */
export const claimant = (events: ReadonlyArray<RecordedEvent>): unknown =>
  events.findLast(({ type }) => type === "DispatchStarted")?.data["node"]

/** All events of the log at a node's address. */
export const eventsAt = (address: string) =>
  Effect.flatMap(EventReader, (reader) => Stream.runCollect(reader.readAll(GlobalPosition.beginning))).pipe(
    Effect.provide(JetStreamEventReader.layer(Result.getOrThrow(NatsOptions.parse(address)))),
    Effect.scoped
  )

/** According to the log. */
export const isRunning = (events: ReadonlyArray<RecordedEvent>): boolean => {
  const last = events.findLast(({ type }) => type !== "ProgressReported")
  return last?.type === "RequestStarted"
}

export const make: Effect.Effect<LogFacts, never, EventReader | Scope.Scope> = Effect.gen(function* () {
  const reader = yield* EventReader
  const requests = new Map<string, Array<RecordedEvent>>()
  let position = GlobalPosition.beginning

  const take = (event: RecordedEvent) => {
    position = event.position
    if (!isRequest(event)) return
    const id = StreamName.idOf(event.stream)
    const events = requests.get(id)
    if (events === undefined) requests.set(id, [event])
    else events.push(event)
  }
  yield* Stream.suspend(() => reader.subscribe(position)).pipe(
    Stream.runForEach((event) => Effect.sync(() => take(event))),
    Effect.retry(Schedule.spaced("200 millis")),
    Effect.forkScoped
  )

  const lastTypes = () => new Map([...requests].map(([id, events]) => [id, events.at(-1)?.type]))

  const until: LogFacts["until"] = (what, find, limit = Until.processes) =>
    Until.answers(async () => {
      const found = find(requests)
      if (found === null) throw new Error(`${what} is not on the log, but ${Until.textOf(lastTypes())}`)
      return found
    }, limit)

  return {
    requests: () => requests,
    until,
    quiet: (ids) =>
      until("the end of every request", () => {
        const open = [...requests].filter(([, events]) => !isOver(events))
        return open.length === 0 && ids.every((id) => requests.has(id)) ? new Map(requests) : null
      }),
    recorded: Stream.runCollect(reader.readAll(GlobalPosition.beginning)).pipe(
      Effect.map(byRequest),
      Effect.orDie
    )
  }
})

/** The log of a server elsewhere, as lines of JSON. */
import { Effect, Layer, Predicate, Result, Schema, Stream } from "effect"
import { HttpClient, TracerPropagationEnabled } from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import { StreamName } from "#streams/StreamName.ts"
import { notCarriedOut, parse, refused, type Target } from "../AdminAnswers.ts"
import { Administration } from "../Administration.ts"
import * as Calls from "../Calls.ts"
import { AdministrationFailed } from "../Operation.ts"

export interface Call {
  readonly method?: "GET" | "POST"
  /** Below `/admin/v1`. */
  readonly path: string
  readonly params?: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** Sent as JSON. */
  readonly body?: object
}

const failureOf = (target: Target) => (error: unknown) =>
  Schema.is(AdministrationFailed)(error)
    ? error
    : notCarriedOut(target, Predicate.isError(error) ? error.message : "it does not answer")

const execute = Effect.fnUntraced(
  function* (target: Target, { body, method = "GET", params = {}, path }: Call) {
    const client = yield* HttpClient
    const request = HttpClientRequest.make(method)(target.url + Calls.prefix + path).pipe(
      HttpClientRequest.setUrlParams(params),
      HttpClientRequest.setHeaders(target.headers)
    )
    const response = yield* client.execute(
      body === undefined ? request : HttpClientRequest.bodyJsonUnsafe(request, body)
    )
    if (response.status === 200) return response
    const found = Result.getOrElse(parse(yield* response.text), () => undefined)
    return yield* Effect.fail(refused(target, path, () => null, response, found))
  },
  Effect.provideService(TracerPropagationEnabled, false)
)

/** A short answer. */
export const text = (target: Target, call: Call) =>
  Effect.mapError(
    Effect.flatMap(execute(target, call), (response) => response.text),
    failureOf(target)
  )

/** The lines of an answer, as they come. Fails when the answer breaks off. */
export const lines = (target: Target, call: Call): Stream.Stream<string, AdministrationFailed, HttpClient> =>
  Stream.unwrap(Effect.map(execute(target, call), ({ stream }) => stream)).pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.filter((line) => line !== ""),
    Stream.mapError(failureOf(target))
  )

const Head = Schema.Struct({
  position: GlobalPosition.GlobalPosition,
  stream: StreamName,
  ordinal: Schema.Int,
  id: Schema.String,
  type: Schema.String,
  time: Schema.Int,
  hash: Schema.String
})

const decodeHead = Schema.decodeUnknownResult(Schema.fromJsonString(Head))

/** Quotes within texts are escaped, so nothing before the data has it. */
const beforeData = ',"data":'

const eventOf = (target: Target) => (line: string) => {
  const at = line.indexOf(beforeData)
  const head = decodeHead(`${line.slice(0, at)}}`)
  if (at < 0 || Result.isFailure(head)) {
    return Effect.fail(notCarriedOut(target, "a line of its answer is not an event"))
  }
  const text = line.slice(at + beforeData.length, -1)
  return Effect.succeed(
    new RecordedEvent({ ...head.success, text, version: trustedVersion(String(head.success.ordinal)) })
  )
}

/** What the server chooses of the events. */
export interface Choice {
  readonly types: ReadonlyArray<string>
  readonly stream: string | undefined
}

interface Range {
  readonly after?: GlobalPosition.GlobalPosition
  readonly until?: GlobalPosition.GlobalPosition
  readonly last?: number
  readonly follow?: boolean
}

export const events = (target: Target, { stream, types }: Choice, { after, follow, last, until }: Range) =>
  lines(target, {
    path: "/log/events",
    params: {
      after,
      until,
      last: last === undefined ? undefined : String(last),
      type: types,
      stream,
      ...(follow === true && { follow: "true" })
    }
  }).pipe(Stream.mapEffect(eventOf(target)))

const storeError = ({ message }: AdministrationFailed) => new EventStoreError({ reason: message })

const notElsewhere = Effect.die(new Error("this cannot be read from a server elsewhere"))

/** For readers of whole events only. */
export const layerReader = (target: Target, choice: Choice) =>
  Layer.effect(
    EventReader,
    Effect.gen(function* () {
      const { measureLog } = yield* Administration
      const client = yield* HttpClient
      const read = (range: Range) =>
        events(target, choice, range).pipe(
          Stream.mapError(storeError),
          Stream.provideService(HttpClient, client)
        )
      return EventReader.of({
        head: Effect.mapBoth(measureLog(), { onSuccess: ({ head }) => head, onFailure: storeError }),
        readAll: (after) => read({ after }),
        subscribe: (after) => read({ after, follow: true }),
        // Exact on SQLite, where positions count events; on NATS before the first event of a commit.
        stepBack: (position, count) =>
          GlobalPosition.GlobalPosition.make(String(Math.max(0, GlobalPosition.sequence(position) - count))),
        read: () => notElsewhere,
        payload: () => notElsewhere,
        follow: () => notElsewhere,
        changes: Stream.fromEffect(notElsewhere)
      })
    })
  )

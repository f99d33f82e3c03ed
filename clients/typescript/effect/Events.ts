/** Event streams of the API: endpoints give their bytes, `decode` their events (docs/apps/streams.md). */
import { Schema, Stream } from "effect"
import * as Sse from "effect/encoding/Sse"
import { HttpApiSchema } from "effect/http-api"
import { CreatedRequest, FailedRequestStatus, Outcome, RequestStatus, Status } from "./Schemas.ts"

const bytes = HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" })

export const streamRequests = bytes
export const streamRequestStatus = bytes
export const streamRequestOutput = bytes

const event = <const Name extends string, Data extends Schema.Top>(name: Name, data: Data) =>
  Schema.Struct({
    id: Schema.optional(Schema.String),
    event: Schema.Literal(name),
    data: Schema.fromJsonString(data)
  })

const status = Schema.Union([RequestStatus, FailedRequestStatus])

/** Of `streamRequestStatus`: the status, at once and after each change. */
export const StatusEvent = Schema.Struct({
  id: Schema.optional(Schema.String),
  event: Schema.optional(Schema.String),
  data: Schema.fromJsonString(status)
})

const named = { modelEndpoint: Schema.String }

/** Of `streamRequests`. The id of a status event is where `last-event-id` goes on. */
export const AccountEvent = Schema.Union([
  event(
    "status",
    Schema.Union([
      Schema.Struct({ ...RequestStatus.fields, ...named }),
      Schema.Struct({ ...FailedRequestStatus.fields, ...named })
    ])
  ),
  event("progress", Schema.Json)
])

/** Of `streamRequestOutput`. The id of a chunk is where `last-event-id` goes on. */
export const OutputEvent = Schema.Union([
  event("request", CreatedRequest),
  event("chunk", Schema.Json),
  event("restart", Schema.Json),
  event("progress", Schema.Struct({ progress: Schema.Finite })),
  event(
    "done",
    Schema.Struct({
      request_id: Schema.String,
      status: Status,
      outcome: Outcome,
      cost: Schema.String,
      error: Schema.NullOr(Schema.String)
    })
  )
])

/** The events of a stream's bytes. Leaves out `retry:`, the pause before a reconnect that the server asks for. */
export const decode =
  <Event extends Sse.EventCodec>(schema: Event) =>
  <E, R>(stream: Stream.Stream<Uint8Array, E, R>) =>
    stream.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.filter((line) => !line.startsWith("retry:")),
      Stream.map((line) => `${line}\n`),
      Stream.pipeThroughChannel(Sse.decodeSchema(schema))
    )

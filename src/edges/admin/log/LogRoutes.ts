/** Routes that read the whole log: its events, and the proofs of it. They answer with lines of JSON. */
import { Effect, Layer, Option, Predicate, Schema, Stream } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { allows, type Role } from "#domain/operator/Role.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"
import type { Operator } from "#src/features/operators/Operator.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as EventLine from "./EventLine.ts"
import { Proofs } from "./Proofs.ts"

const contentType = "application/x-ndjson"

const lines = (description: string) =>
  Schema.String.pipe(HttpApiSchema.asText({ contentType })).annotate({ description })

/** Of every route here. */
const role: Role = "auditor"

const permit = (operator: Operator): Effect.Effect<void, ErrorAnswer.ErrorAnswer> =>
  allows(operator.role, role)
    ? Effect.void
    : Effect.fail(
        ErrorAnswer.coded(403, "ROLE_REQUIRED", `This needs an operator with the role ${role}.`, { role })
      )

const position = (description: string) =>
  ListParameters.text(description, { type: "string", pattern: "^\\d{1,19}(\\.\\d{1,9})?$" })

const eventsEndpoint = HttpApiEndpoint.get("admin.readLog", "/admin/v1/log/events", {
  query: {
    after: position("Only events after this position."),
    until: position("Only events up to this position; not with `follow`."),
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

const invalid = (name: string, message: string) =>
  Effect.fail(ErrorAnswer.invalid([issue([name], "invalid", message)]))

const positionOf = (name: string, text: string | undefined) => {
  if (text === undefined) return Effect.succeed(null)
  return Option.match(GlobalPosition.GlobalPosition.makeOption(text), {
    onNone: () => invalid(name, "must be a position of the log"),
    onSome: (found) => Effect.succeed(found)
  })
}

const textsOf = (given: unknown): ReadonlyArray<string> =>
  (Array.isArray(given) ? given : [given]).filter(Predicate.isString)

/** Reads of the log at a time, on each node. */
const mostReaders = 16

const keepAlive = "15 seconds"

const tooMany = ErrorAnswer.busy(`This node serves ${mostReaders} readers of its log already.`, 5)

const readLog = Route.prepared(
  eventsEndpoint,
  Effect.gen(function* () {
    const reader = yield* EventReader
    let open = 0

    return Effect.fnUntraced(function* ({ query }: Route.Call<typeof eventsEndpoint>, operator: Operator) {
      yield* permit(operator)
      const after = (yield* positionOf("after", query.after)) ?? GlobalPosition.beginning
      const until = yield* positionOf("until", query.until)
      const follow = query.follow === "true"
      if (query.follow !== undefined && !follow && query.follow !== "false") {
        return yield* invalid("follow", "must be true or false")
      }
      if (follow && until !== null) return yield* invalid("until", "must not be given beside follow")
      if (open >= mostReaders) return yield* tooMany
      const types = new Set(textsOf(query.type))
      const matches = (event: RecordedEvent): boolean =>
        (types.size === 0 || types.has(event.type)) &&
        (query.stream === undefined || event.stream === query.stream)
      const events = (follow ? reader.subscribe(after) : reader.readAll(after)).pipe(
        Stream.takeWhile(({ position }) => until === null || GlobalPosition.isReached(position, until)),
        Stream.filter(matches),
        Stream.map(EventLine.json)
      )
      const idle = Stream.map(Stream.tick(keepAlive), () => "\n")
      const texts = follow ? Stream.merge(events, idle, { haltStrategy: "left" }) : events
      const counted = Stream.unwrap(
        Effect.as(
          Effect.acquireRelease(
            Effect.sync(() => void open++),
            () => Effect.sync(() => void open--)
          ),
          texts
        )
      )
      return HttpServerResponse.stream(Stream.encodeText(counted), {
        contentType,
        headers: { "cache-control": "no-store" }
      })
    })
  })
)

const answer = (text: Stream.Stream<string>) =>
  HttpServerResponse.stream(Stream.encodeText(text), {
    contentType,
    headers: { "cache-control": "no-store" }
  })

const proofLines = lines(
  'Lines `{ type: "running", elapsedMs }` every five seconds, then one `{ type: "result", ok, report, message }`.'
)

const proofErrors = [...CommonResponses.usual, CommonResponses.conflict] as const

const verifyEndpoint = HttpApiEndpoint.get("admin.verifyLog", "/admin/v1/log/verify", {
  query: {
    expect: ListParameters.texts("An anchor `<position>:<digest>` that the log must have; may be repeated.")
  },
  success: proofLines,
  error: proofErrors
})
  .annotate(OpenApi.Identifier, "verifyLog")
  .annotate(OpenApi.Summary, "Prove that the log is unchanged")
  .annotate(
    OpenApi.Description,
    "As `inferlog log verify`: hashes every event and payload. It runs at low priority, one proof at a time on each node (409 `PROOF_RUNNING`), and ends when the client leaves.\n\nRole: `auditor`."
  )

const mostAnchors = 100

const isAnchor = (text: string): boolean => /^\d{1,19}(\.\d{1,9})?:[A-Za-z0-9_-]{43}$/.test(text)

const verifyLog = Route.prepared(
  verifyEndpoint,
  Effect.map(Proofs, ({ prove }) =>
    Effect.fnUntraced(function* ({ query }: Route.Call<typeof verifyEndpoint>, operator: Operator) {
      yield* permit(operator)
      const anchors = textsOf(query.expect)
      if (anchors.length > mostAnchors || !anchors.every(isAnchor)) {
        return yield* invalid("expect", `must be at most ${mostAnchors} of <position>:<digest>`)
      }
      const expected = anchors.flatMap((anchor) => ["--expect", anchor])
      return answer(yield* prove(["log", "verify", "--json", ...expected]))
    })
  )
)

const auditEndpoint = HttpApiEndpoint.get("admin.auditBooks", "/admin/v1/audit", {
  success: proofLines,
  error: proofErrors
})
  .annotate(OpenApi.Identifier, "auditBooks")
  .annotate(OpenApi.Summary, "Prove the books")
  .annotate(
    OpenApi.Description,
    "As `inferlog audit`: `report` is its text, with the statement of all accounts. It runs as a verify does.\n\nRole: `auditor`."
  )

const auditBooks = Route.prepared(
  auditEndpoint,
  Effect.map(Proofs, ({ prove }) =>
    Effect.fnUntraced(function* (_: Route.Call<typeof auditEndpoint>, operator: Operator) {
      yield* permit(operator)
      return answer(yield* prove(["audit"]))
    })
  )
)

export const group = HttpApiGroup.make("admin-log")
  .add(eventsEndpoint, verifyEndpoint, auditEndpoint)
  .annotate(OpenApi.Title, "Log")

const routes = [readLog, verifyLog, auditBooks] as const

export const layer = <E, R>(admit: Effect.Effect<DeclaredRoutes.Admit<Operator>, E, R>) =>
  DeclaredRoutes.layer(admit, routes).pipe(Layer.provide(Proofs.layer))

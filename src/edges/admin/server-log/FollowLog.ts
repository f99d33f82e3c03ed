/** `GET /admin/v1/server-log/follow`: the lines of the server's log as they are written. */
import { Effect, Stream } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import type { Operator } from "#src/features/operators/Operator.ts"
import { Level, type LogLine, ServerLog } from "#src/platform/telemetry/logs/ServerLog.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as Events from "../live/Events.ts"
import { invalid } from "../log/Lines.ts"
import { permit } from "../Permit.ts"
import * as ChosenLines from "./ChosenLines.ts"

const endpoint = HttpApiEndpoint.get("admin.followServerLog", "/admin/v1/server-log/follow", {
  query: {
    after: ListParameters.text(
      "Only lines after this one: `last` of `GET /admin/v1/server-log`. By default new ones.",
      {
        type: "integer",
        minimum: 0
      }
    ),
    level: ListParameters.text("The least severe level that is sent.", {
      type: "string",
      enum: [...Level.literals]
    }),
    text: ListParameters.text(
      "Only lines with this text in their message, facts or cause, in whatever case.",
      {
        type: "string",
        maxLength: 200
      }
    ),
    last_event_id: ListParameters.text("As the header `Last-Event-ID`, which wins over it.")
  },
  headers: {
    "last-event-id": ListParameters.text("The id of the last event that was received, when reconnecting.")
  },
  success: Events.success(
    "`line` events, in the form of `GET /admin/v1/server-log`. A `missed` event has the `count` of lines that were written faster than they were read, and are lost to this reader."
  ),
  error: [...CommonResponses.usual]
})
  .annotate(OpenApi.Identifier, "followServerLog")
  .annotate(OpenApi.Summary, "Follow the server's log")
  .annotate(
    OpenApi.Description,
    "As server-sent events, of the node that answers. The stream ends after two minutes: connect again, with `Last-Event-ID`. It ends within seconds if the key or session is no longer valid. At most 64 readers on a node.\n\nRole: `operator`."
  )

const seqOf = (name: string, given: string | undefined) => {
  if (given === undefined) return Effect.succeed(null)
  return /^\d{1,15}$/.test(given)
    ? Effect.succeed(Number(given))
    : invalid(name, "must be a number of a line")
}

const choiceOf = ({ level = "trace", text = "" }: { readonly level?: string; readonly text?: string }) => {
  const known = Level.literals.find((one) => one === level)
  if (known === undefined) return invalid("level", `must be one of ${Level.literals.join(", ")}`)
  return text.length > 200
    ? invalid("text", "must have at most 200 characters")
    : Effect.succeed({ level: known, text })
}

/** How often new lines are looked for, and how many are sent at a look. */
const every = "250 millis"
const atOnce = 500

const frameOf = (line: LogLine): string =>
  Events.frame("line", { ...line, at: DateTime.format(line.at) }, String(line.seq))

export const followServerLog = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const log = yield* ServerLog
    const serve = yield* Events.make

    return Effect.fnUntraced(function* ({ query, request }: Route.Call<typeof endpoint>, operator: Operator) {
      yield* permit(operator, "operator")
      const choice = yield* choiceOf(query)
      const resumed = yield* seqOf("Last-Event-ID", request.headers["last-event-id"] ?? query.last_event_id)
      const given = resumed ?? (yield* seqOf("after", query.after)) ?? log.last()
      // A later line than the last is of the process before a restart.
      let seen = given > log.last() ? 0 : given
      const isChosen = ChosenLines.chooses(choice)

      /** What a slow reader has missed by then is gone. */
      const next = (): string => {
        const kept = log.after(seen)
        const missed = ChosenLines.missedAfter(seen, kept)
        const lines = kept.slice(0, atOnce)
        const last = lines.at(-1)
        if (last === undefined) return ""
        seen = last.seq
        return (
          (missed > 0 ? Events.frame("missed", { count: missed }) : "") +
          lines.filter(isChosen).map(frameOf).join("") +
          (isChosen(last) ? "" : Events.place(last.seq))
        )
      }
      return yield* serve(
        { request, role: "operator" },
        Stream.tick(every).pipe(
          Stream.map(next),
          Stream.filter((frames) => frames !== "")
        )
      )
    })
  })
)

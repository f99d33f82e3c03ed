/** `GET /admin/v1/live`: what other routes answer, and again whenever it changes, so that views need not ask. */
import { Clock, Effect, Stream } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import type { Operator } from "#src/features/operators/Operator.ts"
import { Administration } from "../Administration.ts"
import * as Calls from "../Calls.ts"
import { fleetOperations } from "../fleet/FleetOperations.ts"
import { queueOperations } from "../fleet/QueueOperations.ts"
import { invalid, textsOf } from "../log/Lines.ts"
import type { AdministrationFailed, Any } from "../Operation.ts"
import { permit } from "../Permit.ts"
import { projectionOperations } from "../projections/ProjectionOperations.ts"
import * as Events from "./Events.ts"

/** By the name of its events, the operation whose answer a topic has. Every viewer may call it. */
const topics = {
  overview: "showOverview",
  queues: "listQueues",
  nodes: "listNodes",
  workers: "listConnectedWorkers",
  providers: "listProviders",
  projections: "listProjections"
} as const

const names = Object.keys(topics)

/** The interval between looks, and how long readers share one, ms. */
const every = "2 seconds"
const sharedMs = 1_500

const endpoint = HttpApiEndpoint.get("admin.live", "/admin/v1/live", {
  query: {
    topic: ListParameters.texts(`One of ${names.map((name) => `\`${name}\``).join(", ")}; may be repeated.`)
  },
  success: Events.success(
    "Events named as their topics. `data` is the answer of `GET /admin/v1/<topic>`; one at the beginning, others when it has changed."
  ),
  error: [...CommonResponses.usual]
})
  .annotate(OpenApi.Identifier, "live")
  .annotate(OpenApi.Summary, "Nodes, workers, providers, queues and read models as they change")
  .annotate(
    OpenApi.Description,
    "As server-sent events, every two seconds what has changed. A `failed` event names a topic that could not be read, with its `error`. The stream ends after two minutes: connect again. It ends within seconds if the key or session is no longer valid. At most 64 readers on a node.\n\nRole: `viewer`."
  )

type Run = (payload: object) => Effect.Effect<unknown, AdministrationFailed>

const operations = [
  ...queueOperations,
  ...fleetOperations,
  ...projectionOperations
] as unknown as ReadonlyArray<Any>

/** Reads a topic as a frame. Readers who come at the same time share it. */
const reader = (topic: string, operation: Any, run: Run) => {
  const wired = Calls.wired(operation)
  const read = Effect.gen(function* () {
    const wire = wired()
    const result = yield* run({ all: false, after: null })
    return Events.frame(topic, yield* Effect.orDie(wire.encodeSuccess(result)))
  }).pipe(Effect.catch(({ message }) => Effect.succeed(Events.frame("failed", { topic, error: message }))))
  let known = { frame: "", until: -Infinity }
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now < known.until) return known.frame
    known = { frame: yield* read, until: now + sharedMs }
    return known.frame
  })
}

const chosen = (given: unknown) => {
  const wanted = textsOf(given)
  return wanted.length > 0 && wanted.every((name) => names.includes(name))
    ? Effect.succeed([...new Set(wanted)])
    : invalid("topic", `must be one or more of ${names.join(", ")}`)
}

export const live = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const administration = (yield* Administration) as unknown as Record<string, Run>
    const serve = yield* Events.make
    const readers = new Map(
      Object.entries(topics).map(([topic, name]) => {
        const operation = operations.find((one) => one.name === name)
        const run = administration[name]
        if (operation === undefined || run === undefined) throw new Error(`expected an operation ${name}`)
        return [topic, reader(topic, operation, run)]
      })
    )

    return Effect.fnUntraced(function* ({ query, request }: Route.Call<typeof endpoint>, operator: Operator) {
      yield* permit(operator, "viewer")
      const wanted = yield* chosen(query.topic)
      const sent = new Map<string, string>()
      const changed = Effect.gen(function* () {
        let frames = ""
        for (const topic of wanted) {
          const frame = yield* readers.get(topic) ?? Effect.succeed("")
          if (sent.get(topic) !== frame) frames += frame
          sent.set(topic, frame)
        }
        return frames
      })
      return yield* serve(
        { request, role: "viewer" },
        Stream.tick(every).pipe(
          Stream.mapEffect(() => changed),
          Stream.filter((frames) => frames !== "")
        )
      )
    })
  })
)

/** The HTTP API with a dispatcher, and models whose jobs workers fetch. Uses the live clock. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted, References, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import { RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import type { BuiltinModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { WorkerKeys } from "#src/features/providers/workers/WorkerKeys.ts"
import { jsonHeaders } from "#test/support/src/edges/http/Calls.ts"
import { type Reply, send } from "#test/support/HttpProbe.ts"
import { testModel } from "#test/support/TestModels.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as TestServer from "#test/support/TestServer.ts"

/** A model whose jobs workers fetch. */
export const pulled = (endpoint: string, leaseSeconds?: number, timeoutSeconds = 600): BuiltinModel => {
  const built = testModel(endpoint, { concurrency: 100, timeoutSeconds })
  const options = leaseSeconds === undefined ? {} : { options: { leaseSeconds } }
  return { ...built, model: { ...built.model, providers: [{ name: "gpus", adapter: "pull", ...options }] } }
}

/** A model of workers that say a text as they make it. */
const telling = (endpoint: string): BuiltinModel => {
  const { model, ...rest } = pulled(endpoint)
  const texts = testModel(endpoint, { outputSchema: { type: "string" }, output: { stream: "text" } })
  return { ...rest, ...texts, model: { ...texts.model, providers: model.providers, concurrency: 100 } }
}

export const tell = "test/tell"
export const upscale = "test/upscale"
export const caption = "test/caption"

export const layer = TestServer.layer({
  catalog: BuiltinCatalog.layerOf([pulled(upscale), pulled(caption), telling(tell)]),
  dispatches: true
}).pipe(
  Layer.provideMerge(SkippedTime.layer),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
)

/** The `Authorization` header of a new worker key. */
export const workerKey = Effect.fnUntraced(function* (
  models: ReadonlyArray<string> | null = null,
  expiresAt: number | null = null
) {
  const key = yield* (yield* WorkerKeys).issue({
    name: "worker",
    modelEndpoints: models?.map((model) => ModelEndpoint.make(model)) ?? null,
    expiresAt
  })
  return { keyId: key.keyId, authorization: `Key ${ApiKey.format(key)}`, secret: Redacted.value(key.secret) }
})

/** Pauses of the dispatcher before its answer are skipped. */
export const post = Effect.fnUntraced(function* (path: string, authorization: string, body?: Json) {
  const { port } = yield* TestServer.TestServer
  const { until } = yield* SkippedTime
  return yield* until("10 millis")(
    send(port, {
      method: "POST",
      path,
      headers: { authorization, ...(body === undefined ? {} : jsonHeaders) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )
})

export const request = (port: number, method: string, path: string, authorization: string) =>
  send(port, { method, path, headers: { authorization } })

/** The status of the answer to a body of this announced size without any bytes. */
export const announce = (port: number, path: string, authorization: string, bytes: number) =>
  Effect.map(
    send(port, {
      method: "POST",
      path,
      headers: { authorization, ...jsonHeaders, "content-length": String(bytes) },
      body: ""
    }),
    ({ status }) => status
  )

const Claimed = Schema.decodeUnknownSync(
  Schema.Struct({
    job: Schema.Struct({
      leaseId: Schema.String,
      requestId: RequestId,
      attempt: Schema.Int,
      modelEndpoint: Schema.String,
      input: Schema.Json,
      leaseSeconds: Schema.Int,
      timeoutSeconds: Schema.Number
    })
  })
)

/** Waits for a job as a worker and returns it. */
export const claim = Effect.fnUntraced(function* (authorization: string, models?: ReadonlyArray<string>) {
  const reply = yield* post("/workers/claim", authorization, {
    wait: 20,
    ...(models !== undefined && { models })
  })
  assert.strictEqual(reply.status, 200, reply.text)
  return Claimed(reply.json).job
})

export const heartbeat = (authorization: string, leaseId: string, body?: Json) =>
  post(`/workers/jobs/${leaseId}/heartbeat`, authorization, body)

export const chunks = (authorization: string, leaseId: string, body: Json) =>
  post(`/workers/jobs/${leaseId}/chunks`, authorization, body)

export const end = (authorization: string, leaseId: string, body: Json) =>
  post(`/workers/jobs/${leaseId}/result`, authorization, body)

export const release = (authorization: string, leaseId: string, body?: Json) =>
  post(`/workers/jobs/${leaseId}/release`, authorization, body)

const Accepted = Schema.decodeUnknownSync(Schema.Struct({ request_id: RequestId }))

/** Submits a request of the first account and returns its id. */
export const submit = Effect.fnUntraced(function* (model: string, value: string) {
  const { key } = yield* TestServer.TestServer
  const reply = yield* post(`/${model}`, key, { value })
  return Accepted(reply.json).request_id
})

/** The request as it is now. */
export const requestOf = Effect.fnUntraced(function* (id: RequestId) {
  const { state } = yield* (yield* RequestActors).current(id)
  return state._tag === "Request" ? state : yield* Effect.die("No such request")
})

export const codeOf = ({ json }: Reply): unknown => Object(Reflect.get(Object(json), "details")).code

/** Errors of this server after a request exists: every answer of `/v1` still names it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { RequestId } from "#domain/Ids.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as HttpServer from "#src/edges/server/HttpServer.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as FalClients from "#test/support/src/edges/fal/FalClients.ts"
import { call, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"

const broken = "test/broken"
const away = "test/away"

const model = (endpoint: string) =>
  testModel(endpoint, { serves: ["chat"], inputSchema: {}, outputSchema: {} })

/** How the read of an output ends. */
let end: Effect.Effect<never, EventStoreError> = Effect.never

const failing = Layer.effect(
  Requests,
  Effect.map(Requests, (requests) => ({ ...requests, payloads: () => end }))
)

const serving = TestServer.layer({
  catalog: BuiltinCatalog.layerOf([model(broken), model(away)]),
  serving: HttpServer.layerNoServer.pipe(Layer.provide(failing))
}).pipe(
  Layer.provideMerge(SkippedTime.layer),
  // The errors are logged, as they should be.
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "Fatal"))
)

/** A chat whose output cannot be read: its answer, and the request's id. */
const chat = Effect.fnUntraced(function* (model: string) {
  const { key, urls } = yield* TestServer.TestServer
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] })
  const calling = call({ method: "POST", path: "/v1/chat/completions", headers: jsonHeaders, body })
  const asked = { authorization: key, model, status: "IN_QUEUE" }
  const ending = Effect.gen(function* () {
    const id = RequestId.make(yield* Effect.promise(() => FalClients.newest(urls.queueUrl, asked)))
    yield* Lifecycle.start(id)
    yield* Lifecycle.deliver(id, { text: "Hello" })
    return id
  })
  const { until } = yield* SkippedTime
  const [reply, id] = yield* until("20 millis")(Effect.all([calling, ending], { concurrency: 2 }))
  return { reply, id }
})

layer(serving, { excludeTestServices: true })("an error after the request exists", (it) => {
  it.effect.each([
    ["that is unexpected is 500", broken, Effect.die(new Error("a private detail")), 500],
    ["of storage is 503", away, Effect.fail(new EventStoreError({ reason: "no disk" })), 503]
  ] as const)("%s, in OpenAI's form and with the id of the request", ([, model, fault, status]) =>
    Effect.gen(function* () {
      end = fault
      const { id, reply } = yield* chat(model)
      assert.strictEqual(reply.status, status, reply.text.slice(0, 500))
      assert.strictEqual(reply.headers["x-inferlog-request-id"], id)
      assert.match(String(reply.headers["x-request-id"]), /^call_/)
      assert.deepInclude(Reflect.get(Object(reply.json), "error"), { type: "server_error" })
      assert.notInclude(reply.text, "private")
    })
  )
})

import { assert, layer } from "@effect/vitest"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { HttpApiClient } from "effect/http-api"
import { Api } from "#src/http/Api.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted } from "./Calls.ts"

const client = Effect.gen(function* () {
  const { key, urls } = yield* TestServer.TestServer
  return yield* HttpApiClient.make(Api, {
    baseUrl: urls.queueUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("authorization", key))
  })
}).pipe(Effect.provide(NodeHttpClient.layerNodeHttp))

layer(TestServer.layer(), { excludeTestServices: true })("a client derived from the API", (it) => {
  it.effect("submits, follows and reads a request", () =>
    Effect.gen(function* () {
      const { queue } = yield* client
      const model = { ownerName: "sandbox", modelName: "echo" }
      const id = yield* accepted()
      const params = { ...model, requestId: id }
      const status = yield* queue.status({ params, query: {}, headers: {} })
      assert.strictEqual(status?.body.status, "IN_QUEUE")
      yield* Lifecycle.start(id)
      yield* Lifecycle.deliver(id, { value: "done" })
      const result = yield* queue.result({ params })
      assert.deepStrictEqual(result.output, { value: "done" })
    })
  )

  it.effect("fails with the declared envelope", () =>
    Effect.gen(function* () {
      const { queue } = yield* client
      const error = yield* Effect.flip(queue.retrieve({ params: { requestId: "short" } }))
      assert.property(error, "request_id")
    })
  )
})

/** A streamed call of OpenAI's API when the account has no free stream. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { RequestId } from "#domain/Ids.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as FalClients from "#test/support/src/edges/fal/FalClients.ts"
import { call, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"

const model = "test/chat"
const catalog = BuiltinCatalog.layerOf([testModel(model, { serves: ["chat"], inputSchema: {} })])

const serving = TestServer.layer({ catalog }).pipe(Layer.provideMerge(SkippedTime.layer))

layer(serving, { excludeTestServices: true })("a streamed call", (it) => {
  it.effect("without a free stream is refused, and its request is cancelled: the client submits again", () =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      yield* GrantedKeys.limit("alpha", { maxStreams: 0 })
      const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Hi" }] })
      const calling = call({ method: "POST", path: "/v1/chat/completions", headers: jsonHeaders, body })
      const asked = { authorization: key, model, status: "IN_QUEUE" }
      const starting = Effect.gen(function* () {
        const id = RequestId.make(yield* Effect.promise(() => FalClients.newest(urls.queueUrl, asked)))
        yield* Lifecycle.start(id)
        return id
      })
      const { until } = yield* SkippedTime
      const [reply, id] = yield* until("20 millis")(Effect.all([calling, starting], { concurrency: 2 }))
      assert.strictEqual(reply.status, 429, reply.text)
      const { state } = yield* (yield* RequestActors).current(id)
      assert.isTrue(state._tag === "Request" && state.cancelRequested)
    })
  )
})

import { assert, layer } from "@effect/vitest"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { HttpApiClient } from "effect/http-api"
import { Api } from "#src/edges/server/Api.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"

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
      const status = yield* queue.getRequestStatus({ params, query: {}, headers: {} })
      assert.strictEqual(status?.body.status, "IN_QUEUE")
      yield* Lifecycle.start(id)
      yield* Lifecycle.deliver(id, { value: "done" })
      const result = yield* queue.getRequestResult({ params })
      assert.deepStrictEqual(result.output, { value: "done" })
    })
  )

  it.effect("lists, reads and replays deliveries, and reads the signing secret", () =>
    Effect.gen(function* () {
      const { webhooks } = yield* client
      const ids = yield* Effect.forEach([0, 1], (at) => Deliveries.failed({ at: Deliveries.start + at }))
      const deliveryId = ids[0] ?? ""
      const first = yield* webhooks.listDeliveries({ query: { status: "failed", limit: "1" } })
      assert.deepStrictEqual(
        first.data.map(({ id }) => id),
        ids.slice(1)
      )
      const second = yield* webhooks.listDeliveries({ query: { limit: "1", cursor: first.next ?? "" } })
      assert.deepInclude(second, { page: 2, total: 2, next: null })
      const { attemptHistory } = yield* webhooks.getDelivery({ params: { deliveryId } })
      assert.strictEqual(attemptHistory[0]?.error, "gone")
      const replayed = yield* webhooks.replayDelivery({ params: { deliveryId } })
      assert.deepInclude(replayed, { id: deliveryId, status: "pending" })
      const { count } = yield* webhooks.recoverDeliveries({ payload: { since: "2026-01-05T12:00:00Z" } })
      assert.strictEqual(count, 1)
      const { key } = yield* webhooks.getSigningSecret()
      const rotated = yield* webhooks.rotateSigningSecret({ payload: {} })
      assert.notStrictEqual(rotated.key, key)
    })
  )

  it.effect("announces, lists and deletes files", () =>
    Effect.gen(function* () {
      const { files, uploads } = yield* client
      const payload = { file_name: "a.txt", content_type: "text/plain", size: 1 }
      const { file_url } = yield* uploads.initiateUpload({ payload })
      const { uploadId, uploadKey } = yield* uploads.initiateMultipartUpload({ payload })
      const query = { uploadId, uploadKey }
      const { presignedUrl } = yield* uploads.getPartUrl({ query: { ...query, partNumber: "1" } })
      assert.include(presignedUrl, uploadKey)
      assert.deepInclude(yield* uploads.listParts({ query }), { fileName: "a.txt", size: 1, parts: [] })
      const { data } = yield* files.listFiles({ query: { source: "upload" } })
      assert.lengthOf(data, 2)
      const { id } = data.find(({ url }) => url === file_url) ?? {}
      const params = { fileId: String(id) }
      assert.strictEqual((yield* files.getFileRecord({ params })).status, "pending")
      yield* files.deleteFile({ params })
      assert.property(yield* Effect.flip(files.getFileRecord({ params })), "request_id")
    })
  )

  it.effect("fails with the declared envelope", () =>
    Effect.gen(function* () {
      const { queue } = yield* client
      const error = yield* Effect.flip(queue.getRequest({ params: { requestId: "short" } }))
      assert.property(error, "request_id")
    })
  )
})

/** Output that workers report as it is made, over HTTP with the real dispatcher. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Server from "#test/support/src/features/providers/workers/WorkerServer.ts"

const begin = Effect.fnUntraced(function* (model: string) {
  const { authorization } = yield* Server.workerKey([model])
  const id = yield* Server.submit(model, "in")
  const job = yield* Server.claim(authorization, [model])
  const send = (body: Json) => Server.chunks(authorization, job.leaseId, body)
  const nextAfter = (body: Json) =>
    Effect.map(send(body), (reply) => {
      assert.strictEqual(reply.status, 200, reply.text)
      return Reflect.get(Object(reply.json), "next") as unknown
    })
  return { authorization, id, leaseId: job.leaseId, send, nextAfter }
})

layer(Server.layer, { excludeTestServices: true })("A worker that reports chunks", (it) => {
  it.effect("may repeat calls, and is told where to go on", () =>
    Effect.gen(function* () {
      const { authorization, id, leaseId, nextAfter } = yield* begin(Server.tell)
      assert.strictEqual(yield* nextAfter({ from: 0, chunks: ["a", "b"] }), 2)
      assert.strictEqual(yield* nextAfter({ from: 0, chunks: ["a", "b"] }), 2)
      assert.strictEqual(yield* nextAfter({ from: 1, chunks: ["b", "c"] }), 3)
      assert.strictEqual(yield* nextAfter({ from: 7, chunks: ["x"] }), 3)
      assert.strictEqual(yield* nextAfter({ from: 0, chunks: ["d"], restart: true }), 1)
      assert.strictEqual((yield* Server.end(authorization, leaseId, { output: "de" })).status, 200)
      const { phase, violations } = yield* Server.requestOf(id)
      assert.deepStrictEqual([phase._tag, violations], ["Completed", []])
      assert.strictEqual((yield* Server.chunks(authorization, leaseId, { from: 1, chunks: [] })).status, 409)
    })
  )

  it.effect("learns what is wrong with them, and keeps its job", () =>
    Effect.gen(function* () {
      const { nextAfter, send } = yield* begin(Server.tell)
      const wrong = yield* send({ from: 0, chunks: ["a", 1] })
      assert.strictEqual(wrong.status, 400)
      assert.include(wrong.text, "must be string")
      const gap = yield* send({ from: 1, chunks: ["a"], restart: true })
      assert.strictEqual(gap.status, 400)
      const many = yield* send({ from: 0, chunks: Array.from({ length: 1_001 }, () => "a") })
      assert.strictEqual(many.status, 400)
      const large = yield* send({ from: 0, chunks: ["a".repeat(4 * 1024 * 1024)] })
      assert.strictEqual(large.status, 413)
      assert.strictEqual(yield* nextAfter({ from: 0, chunks: ["a"] }), 1)
    })
  )

  it.effect("need not report any for a model whose output does not stream", () =>
    Effect.gen(function* () {
      const { nextAfter } = yield* begin(Server.upscale)
      assert.isNull(yield* nextAfter({ from: 0, chunks: ["a"] }))
    })
  )
})

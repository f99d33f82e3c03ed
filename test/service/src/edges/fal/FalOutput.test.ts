/** `fal.stream` of models whose output is made in chunks. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { vi } from "vitest"
import type { Json } from "#domain/CanonicalJson.ts"
import { RequestId } from "#domain/Ids.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { FalWaits } from "#src/edges/fal/requests/FalWaits.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { LiveRuns } from "#src/features/live-output/LiveRuns.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as FalClients from "#test/support/src/edges/fal/FalClients.ts"
import * as Until from "#test/support/Until.ts"

const models = (["text", "items", "last"] as const).map((stream) =>
  testModel(`test/${stream}`, { output: { stream }, outputSchema: {}, concurrency: 9 })
)

const input = { value: "hello" }

/** A stream of a new request, and the request's run. */
const begun = Effect.fnUntraced(function* (model: string) {
  const { key, urls } = yield* TestServer.TestServer
  const fal = FalClients.connect(urls.queueUrl, key.replace(/^Key /, ""))
  const stream = yield* Effect.promise(() => fal.stream(model, { input }))
  const heard: Array<unknown> = []
  let onEvent = () => {}
  stream.on("data", (event: unknown) => {
    heard.push(event)
    onEvent()
  })
  const until = (count: number) =>
    Effect.promise(
      () =>
        new Promise<void>((resolve) => {
          onEvent = () => heard.length >= count && resolve()
          onEvent()
        })
    )
  const asked = { authorization: key, model, status: "IN_QUEUE" }
  const id = RequestId.make(yield* Effect.promise(() => FalClients.newest(urls.queueUrl, asked)))
  yield* Lifecycle.start(id)
  const runs = yield* LiveRuns
  const run = runs.begin(id, 1)
  return { fal, id, run, stream, heard, until, end: runs.end(run, true) }
})

const serving = TestServer.layer({ catalog: BuiltinCatalog.layerOf(models) })

/** A server that holds answers only for a moment. */
const impatient = serving.pipe(Layer.provide(Layer.succeed(FalWaits, { runMs: 50, firstEventMs: 50 })))

layer(impatient, { excludeTestServices: true })("a call that takes too long", (it) => {
  it.effect("of fal.run throws once, and leaves the request with its id", () =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      const fal = FalClients.connect(urls.queueUrl, key.replace(/^Key /, ""), { retries: 3 })
      const error = yield* Effect.promise(() => FalClients.thrown(fal.run("test/last", { input })))
      assert.strictEqual(error.status, 504)
      assert.isTrue(error.isUserTimeout)
      assert.include(error.message, "fal.queue.result")
      const { requestId } = error
      const status = yield* Effect.promise(() => fal.queue.status("test/last", { requestId }))
      assert.strictEqual(status.status, "IN_QUEUE")
      assert.strictEqual(yield* Effect.promise(() => FalClients.count(urls.queueUrl, key, "test/last")), 1)
    })
  )

  it.effect("of fal.stream without room for a stream throws once, and leaves the request with its id", () =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      const accounts = yield* Accounts
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      yield* Effect.acquireRelease(accounts.changeLimits({ accountId, limits: { maxStreams: 0 } }), () =>
        Effect.orDie(accounts.changeLimits({ accountId, limits: { maxStreams: null } }))
      )
      const fal = FalClients.connect(urls.queueUrl, key.replace(/^Key /, ""), { retries: 3 })
      const stream = yield* Effect.promise(() => fal.stream("test/items", { input }))
      const { isUserTimeout, requestId } = yield* Effect.promise(() => FalClients.thrown(stream.done()))
      assert.isTrue(isUserTimeout)
      const status = yield* Effect.promise(() => fal.queue.status("test/items", { requestId }))
      assert.strictEqual(status.status, "IN_QUEUE")
    })
  )

  it.effect("of fal.stream begins to answer, and a failure shows as an event", () =>
    Effect.gen(function* () {
      const { end, heard, id, stream } = yield* begun("test/text")
      const done = stream.done().catch((error: Error) => error.message)
      yield* Effect.promise(() => vi.waitUntil(() => stream.requestId === id))
      yield* end
      yield* Lifecycle.end(id, { _tag: "ProviderError", message: "Out of order", retryable: false })
      assert.include(yield* Effect.promise(() => done), "The request failed.")
      assert.deepInclude(heard[0], { detail: "Out of order", error_type: "runner_server_error" })
    })
  )
})

layer(serving, { excludeTestServices: true })("fal.stream", (it) => {
  it.effect.each([
    ["test/text", ["Hel", "lo", "!"], "Hello!", ["Hel", "lo", "!", "Hello!"]],
    ["test/items", [{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 2 }, [{ n: 1 }, { n: 2 }]]],
    ["test/last", [{ images: [1] }, { images: [2] }], { images: [2] }, [{ images: [1] }, { images: [2] }]]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<Json>, Json, ReadonlyArray<Json>]>)(
    "of %s has each chunk before the next is made, and the output at the end",
    ([model, chunks, output, events]) =>
      Effect.gen(function* () {
        const { end, heard, id, run, stream, until } = yield* begun(model)
        for (const [index, chunk] of chunks.entries()) {
          run.chunk(chunk)
          yield* until(index + 1)
        }
        yield* end
        yield* Lifecycle.deliver(id, output)
        assert.deepStrictEqual(yield* Effect.promise(() => stream.done()), output)
        assert.deepStrictEqual<unknown>(heard, events)
        assert.strictEqual(stream.requestId, id)
      })
  )

  it.effect("that fails after a chunk shows why, and throws instead of returning what it had", () =>
    Effect.gen(function* () {
      const { end, heard, id, run, stream, until } = yield* begun("test/text")
      const done = stream.done().then(
        () => assert.fail("it ended well"),
        (error: Error) => error
      )
      run.chunk("Hel")
      yield* until(1)
      yield* end
      yield* Lifecycle.end(id, { _tag: "ModelFailed", message: "Out of memory" })
      const error = yield* Effect.promise(() => done)
      assert.include(error.message, "The request failed.")
      assert.strictEqual(heard.length, 2)
      const [fault] = Reflect.get(Object(heard[1]), "detail")
      assert.deepStrictEqual(fault, { loc: ["body"], msg: "Out of memory", type: "model_failed" })
    })
  )

  it.effect("that is aborted after a chunk cancels the request", () =>
    Effect.gen(function* () {
      const { id, run, stream, until } = yield* begun("test/text")
      run.chunk("Hel")
      yield* until(1)
      stream.abort()
      const actors = yield* RequestActors
      yield* Until.until(
        "a request to cancel",
        actors.current(id),
        ({ state }) => state._tag === "Request" && state.cancelRequested
      )
    })
  )
})

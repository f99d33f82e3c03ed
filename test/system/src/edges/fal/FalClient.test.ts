/**
 * The examples of the client's documentation (its README, https://fal.ai/docs/documentation/model-apis/inference/queue and
 * `…/synchronous`, `…/streaming`, `…/request-errors`), one by one, against a server as users run it: with another URL, another key,
 * and models of this service.
 */
import { assert, layer } from "@effect/vitest"
import { createFalClient, ValidationError, type QueueStatus } from "@fal-ai/client"
import { Context, Effect, Layer } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as FalClients from "#test/support/src/edges/fal/FalClients.ts"

class Connected extends Context.Service<Connected, Effect.Success<typeof FalClients.server>>()(
  "inferlog/test/src/edges/fal/Connected"
) {}

const connected = Layer.effect(Connected, FalClients.server)

layer(connected, { excludeTestServices: true })("fal's client", (it) => {
  const example = (name: string, run: (connected: Connected["Service"]) => Promise<void>) =>
    it.effect(name, () => Effect.flatMap(Connected, (connected) => Effect.promise(() => run(connected))))

  example("the guide: its middleware, and proxyUrl with `when`, connect", async ({ url }) => {
    const proxyUrl = { url: `${url}/compat/fal`, when: "always" } as const
    const clients = [
      FalClients.ofGuide(url, ServerProcess.apiKey),
      createFalClient({ credentials: ServerProcess.apiKey, proxyUrl })
    ]
    for (const fal of clients) {
      const { data } = await fal.run("sandbox/echo", { input: { value: 1 } })
      assert.deepStrictEqual(data, { value: 1 })
    }
  })

  example("retries as the client has them: a failed request is not submitted again", async ({ url }) => {
    const fal = FalClients.connect(url, ServerProcess.apiKey, { retries: 3 })
    const { authorization } = ServerProcess.authorization
    const before = await FalClients.count(url, authorization, "sandbox/fail")
    await FalClients.thrown(fal.run("sandbox/fail", { input: {} }))
    await FalClients.thrown(fal.subscribe("sandbox/fail", { input: {}, pollInterval: 20 }))
    assert.strictEqual(await FalClients.count(url, authorization, "sandbox/fail"), before + 2)
  })

  example("README, fal.run: returns the output as data, with the request's id", async ({ fal }) => {
    const result = await fal.run("sandbox/echo", { input: { value: "bar" } })
    assert.deepStrictEqual(result.data, { value: "bar" })
    assert.match(result.requestId, /^[\w-]{21}$/)
    const again = await fal.queue.result("sandbox/echo", { requestId: result.requestId })
    assert.deepStrictEqual(again, result)
  })

  example("README, fal.subscribe: reports the queue and returns the output", async ({ fal }) => {
    const updates: Array<QueueStatus> = []
    const enqueued: Array<string> = []
    const result = await fal.subscribe("sandbox/slow", {
      input: { seconds: 0.3 },
      pollInterval: 20,
      onEnqueue: (requestId) => enqueued.push(requestId),
      onQueueUpdate: (update) => updates.push(update)
    })
    assert.deepStrictEqual(result.data, { slept: 0.3 })
    assert.deepStrictEqual(enqueued, [result.requestId])
    for (const update of updates) {
      assert.strictEqual(update.request_id, result.requestId)
      if (update.status === "IN_QUEUE") assert.strictEqual(update.queue_position, 0)
      else assert.isArray(update.logs)
    }
    const last = updates.at(-1)
    assert.strictEqual(last?.status, "COMPLETED")
    assert.isAtLeast(last?.status === "COMPLETED" ? (last.metrics?.inference_time ?? 0) : 0, 0.3)
    assert.include(
      updates.map(({ status }) => status),
      "IN_PROGRESS"
    )
  })

  example("subscribe with logs: they are a list of messages", async ({ fal }) => {
    const messages: Array<string> = []
    await fal.subscribe("sandbox/slow", {
      input: { seconds: 1.1 },
      logs: true,
      pollInterval: 50,
      onQueueUpdate: (update) => {
        if (update.status !== "COMPLETED") return
        update.logs.map(({ message }) => message).forEach((message) => messages.push(message))
        assert.isFalse(update.logs.some(({ timestamp }) => Number.isNaN(Date.parse(timestamp))))
      }
    })
    assert.isNotEmpty(messages)
  })

  example("queue.submit, queue.status, queue.result", async ({ fal }) => {
    const { request_id: requestId, status } = await fal.queue.submit("sandbox/slow", {
      input: { seconds: 0.2 }
    })
    assert.strictEqual(status, "IN_QUEUE")
    const early = await FalClients.thrown(fal.queue.result("sandbox/slow", { requestId }))
    assert.strictEqual(early.status, 400)
    assert.strictEqual(early.message, "Request is still in progress.")
    await fal.queue.subscribeToStatus("sandbox/slow", { requestId, pollInterval: 20 })
    const ended = await fal.queue.status("sandbox/slow", { requestId, logs: true })
    assert.strictEqual(ended.status, "COMPLETED")
    assert.deepStrictEqual(await fal.queue.result("sandbox/slow", { requestId }), {
      data: { slept: 0.2 },
      requestId
    })
  })

  example("subscribe in streaming mode: each update once, each log line once", async ({ fal }) => {
    const updates: Array<QueueStatus> = []
    const { data } = await fal.subscribe("sandbox/slow", {
      input: { seconds: 1.1 },
      logs: true,
      mode: "streaming",
      onQueueUpdate: (update) => updates.push(update)
    })
    assert.deepStrictEqual(data, { slept: 1.1 })
    const last = updates.at(-1)
    const messages = last?.status === "COMPLETED" ? last.logs.map(({ message }) => message) : []
    assert.isNotEmpty(messages)
    assert.strictEqual(new Set(messages).size, messages.length)
  })

  example("queue.streamStatus", async ({ fal }) => {
    const { request_id: requestId } = await fal.queue.submit("sandbox/slow", { input: { seconds: 0.2 } })
    const stream = await fal.queue.streamStatus("sandbox/slow", { requestId, logs: true })
    const seen: Array<string> = []
    for await (const update of stream) seen.push(update.status)
    assert.deepInclude(await stream.done(), { status: "COMPLETED", request_id: requestId })
    assert.strictEqual(seen.at(-1), "COMPLETED")
  })

  example("queue.streamStatus: of a request that is cancelled, ends with the reason", async ({ fal }) => {
    const { request_id: requestId } = await fal.queue.submit("sandbox/slow", { input: { seconds: 602 } })
    const stream = await fal.queue.streamStatus("sandbox/slow", { requestId })
    stream.on("data", () => void fal.queue.cancel("sandbox/slow", { requestId }).catch(() => {}))
    FalClients.assertCancelled(await stream.done())
  })

  example("fal.stream: done() returns the output, and the stream has the request's id", async ({ fal }) => {
    const stream = await fal.stream("sandbox/echo", { input: { value: "bar" } })
    const events: Array<unknown> = []
    for await (const event of stream) events.push(event)
    assert.deepStrictEqual(await stream.done(), { value: "bar" })
    assert.deepStrictEqual(events, [{ value: "bar" }])
    const requestId = stream.requestId ?? ""
    assert.deepStrictEqual((await fal.queue.result("sandbox/echo", { requestId })).data, { value: "bar" })
  })

  example("fal.stream: an invalid input, and a failure before the first event, throw", async ({ fal }) => {
    const invalid = await fal.stream("sandbox/echo", { input: {} })
    assert.instanceOf(await FalClients.thrown(invalid.done()), ValidationError)
    const failing = await fal.stream("sandbox/fail", { input: { message: "Out of order" } })
    const error = await FalClients.thrown(failing.done())
    assert.strictEqual(error.status, 500)
    assert.include(error.message, "Out of order")
  })

  example("fal.stream: abort cancels the request", async ({ fal, url }) => {
    const stream = await fal.stream("sandbox/slow", { input: { seconds: 603 } })
    const requestId = await FalClients.running(url, "sandbox/slow")
    stream.abort()
    await fal.queue.subscribeToStatus("sandbox/slow", { requestId, pollInterval: 20 })
    const status = await fal.queue.status("sandbox/slow", { requestId })
    FalClients.assertCancelled(status)
  })

  example("queue.cancel: subscribe ends with an error that says so", async ({ fal }) => {
    let requestId = ""
    const error = await FalClients.thrown(
      fal.subscribe("sandbox/slow", {
        input: { seconds: 600 },
        pollInterval: 20,
        onEnqueue: (id) => {
          requestId = id
          void fal.queue.cancel("sandbox/slow", { requestId })
        }
      })
    )
    assert.strictEqual(error.status, 499)
    assert.strictEqual(error.requestId, requestId)
    assert.deepInclude(error.body, { error_type: "client_cancelled" })
    assert.strictEqual(error.message, "The request was cancelled.")
    const again = await FalClients.thrown(fal.queue.cancel("sandbox/slow", { requestId }))
    assert.strictEqual(again.status, 400)
    assert.deepInclude(again.body, { status: "ALREADY_COMPLETED" })
  })

  example("subscribe with a timeout: cancels the request", async ({ fal }) => {
    let requestId = ""
    const onEnqueue = (id: string) => void (requestId = id)
    const input = { seconds: 600 }
    const late = fal.subscribe("sandbox/slow", { input, timeout: 100, pollInterval: 20, onEnqueue })
    await late.then(
      () => assert.fail("it ended"),
      (error: Error) => assert.match(error.message, /timed out/)
    )
    await fal.queue.subscribeToStatus("sandbox/slow", { requestId, pollInterval: 20 })
    const status = await fal.queue.status("sandbox/slow", { requestId })
    FalClients.assertCancelled(status)
  })

  example("request errors: an invalid input throws a ValidationError with its fields", async ({ fal }) => {
    for (const call of [fal.run, fal.queue.submit, fal.subscribe]) {
      const error = await FalClients.thrown(call("sandbox/echo", { input: { values: 1 } }))
      assert.instanceOf(error, ValidationError)
      if (!(error instanceof ValidationError)) return
      assert.deepInclude(error.fieldErrors[0], { loc: ["body", "value"], type: "required" })
      assert.isNotEmpty(error.getFieldErrors("value"))
      assert.include(error.message, "value")
    }
  })

  example(
    "request errors: a model that fails throws a ValidationError, with its message",
    async ({ fal }) => {
      const call = fal.subscribe("sandbox/provider-fail", {
        input: { message: "Out of memory" },
        pollInterval: 20
      })
      const error = await FalClients.thrown(call)
      assert.strictEqual(error.status, 422)
      assert.include(error.message, "Out of memory")
      assert.isNotEmpty(error.requestId)
      assert.instanceOf(error, ValidationError)
      if (error instanceof ValidationError) assert.include(error.fieldErrors[0]?.msg, "Out of memory")
    }
  )

  example("request errors: a provider that refuses throws an ApiError, once", async ({ fal }) => {
    const error = await FalClients.thrown(fal.run("sandbox/fail", { input: { message: "Out of order" } }))
    assert.strictEqual(error.status, 500)
    assert.include(error.message, "Out of order")
    assert.deepInclude(error.body, { error_type: "runner_server_error" })
  })

  example("request errors: an output that breaks its schema throws", async ({ fal }) => {
    const error = await FalClients.thrown(fal.run("sandbox/invalid-output", {}))
    assert.strictEqual(error.status, 500)
    assert.match(error.message, /does not match/)
  })

  example("storage.upload: returns a URL that has the bytes", async ({ fal }) => {
    const file = new File(["Hello, World!"], "hello.txt", { type: "text/plain" })
    const url = await fal.storage.upload(file)
    const stored = await fetch(url)
    assert.match(stored.headers.get("content-type") ?? "", /^text\/plain/)
    assert.strictEqual(await stored.text(), "Hello, World!")
  })

  example("a Blob in an input: is uploaded, and the model gets its URL", async ({ fal }) => {
    const blob = new Blob([new Uint8Array([1, 2, 3])])
    const { data } = await fal.subscribe("sandbox/echo", {
      input: { value: { files: [blob, { blob }], text: "x" } },
      pollInterval: 20
    })
    const [first, second] = data.value.files
    assert.strictEqual(data.value.text, "x")
    for (const url of [first, second.blob]) {
      assert.deepStrictEqual(
        new Uint8Array(await (await fetch(url)).arrayBuffer()),
        new Uint8Array([1, 2, 3])
      )
    }
  })

  example("startTimeout: in time", async ({ fal }) => {
    const { data } = await fal.run("sandbox/echo", { input: { value: 1 }, startTimeout: 1.5 })
    assert.deepStrictEqual(data, { value: 1 })
  })

  example("abortSignal: cancels the run", async ({ fal, url }) => {
    const abort = new AbortController()
    const run = fal.run("sandbox/slow", { input: { seconds: 601 }, abortSignal: abort.signal })
    const stopped = run.then(
      () => assert.fail("it ended"),
      (error: Error) => assert.strictEqual(error.name, "AbortError")
    )
    const requestId = await FalClients.running(url, "sandbox/slow")
    abort.abort()
    await stopped
    await fal.queue.subscribeToStatus("sandbox/slow", { requestId, pollInterval: 20 })
    const status = await fal.queue.status("sandbox/slow", { requestId })
    FalClients.assertCancelled(status)
  })
})

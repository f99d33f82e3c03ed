/** An assistant's use of the server, from only its address to the sign-out. Each official client runs this. */
import { assert, layer, vi } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import type { Assistant, Fetch, Told, ToolAnswer } from "./Assistant.ts"
import { signIn, toolNames } from "./FirstSteps.ts"

type Make = (mcpUrl: string, fetch: Fetch) => Assistant

/** Signed in with the first account's key. Closed with the test. */
const signedIn = (make: Make, through: Fetch = fetch) =>
  Effect.gen(function* () {
    const { key, urls } = yield* TestServer.TestServer
    const assistant = yield* Effect.acquireRelease(
      Effect.sync(() => make(urls.mcpUrl, through)),
      ({ close }) => Effect.promise(close)
    )
    yield* Effect.promise(() => signIn(assistant, key))
    return assistant
  })

/** The client that most tests share. It has listed the tools, so it checks their answers. */
class OneAssistant extends Context.Service<OneAssistant, Assistant>()("inferlog/test/OneAssistant") {
  static readonly layerOf = (make: Make) =>
    Layer.effect(
      OneAssistant,
      Effect.tap(signedIn(make), (assistant) => Effect.promise(() => assistant.tools()))
    )
}

/** The answer of a successful call. */
const done = ({ isError, structured, text }: ToolAnswer): ToolAnswer["structured"] => {
  assert.isFalse(isError, text)
  // Clients without structured content read the same from the text.
  assert.deepStrictEqual(JSON.parse(text), structured)
  return structured
}

const call = (name: string, input?: Readonly<Record<string, unknown>>) =>
  Effect.flatMap(OneAssistant, (assistant) =>
    Effect.map(
      Effect.promise(() => assistant.call(name, input)),
      done
    )
  )

const Submitted = Schema.decodeUnknownSync(Schema.Struct({ requestId: RequestId }))
const Listed = Schema.decodeUnknownSync(
  Schema.Struct({ total: Schema.Finite, data: Schema.Array(Schema.Record(Schema.String, Schema.Json)) })
)
const Uploaded = Schema.decodeUnknownSync(Schema.Struct({ fileUrl: Schema.String }))

const endpointsOf = (answer: unknown): ReadonlyArray<unknown> =>
  Listed(answer).data.map(({ modelEndpoint }) => modelEndpoint)

/**
 * The next `count` refusals of an invalid token are sent together, when all have arrived. A client that has opened a
 * session requests a stream without waiting for the answer, which is 405.
 */
const refusingAtOnce = () => {
  const held: Array<() => void> = []
  const listened = Promise.withResolvers<number>()
  let count = 0
  const through: Fetch = async (url, init) => {
    const response = await fetch(url, init)
    if (init?.method === "GET" && new URL(url).pathname === "/mcp") listened.resolve(response.status)
    if (response.status !== 401 || count === 0) return response
    await new Promise<void>((resolve) => {
      held.push(resolve)
      if (held.length === count) for (const release of held) release()
    })
    return response
  }
  return {
    through,
    listened: listened.promise,
    expect: (errorAnswers: number) => void (count = errorAnswers)
  }
}

/** Lets all access tokens expire. */
const expireAccessTokens = Effect.flatMap(
  OAuthDatabase,
  (sql) => sql`UPDATE oauth_records SET expires_at = 1 WHERE model = 'AccessToken'`
)

const revoke = Effect.fnUntraced(function* (assistant: Assistant) {
  const { urls } = yield* TestServer.TestServer
  const { status } = yield* Effect.promise(() =>
    fetch(`${urls.mcpUrl}/oauth/revoke`, {
      method: "POST",
      body: new URLSearchParams({
        token: assistant.login.current?.refresh_token ?? "",
        client_id: assistant.clientId()
      })
    })
  )
  assert.strictEqual(status, 200)
})

/** One client prints to the console why it asks the user again. */
const quiet = Effect.acquireRelease(
  Effect.sync(() => vi.spyOn(console, "warn").mockImplementation(() => {})),
  (spy) => Effect.sync(() => spy.mockRestore())
)

const layerOf = (make: Make) =>
  OneAssistant.layerOf(make).pipe(Layer.provideMerge(TestServer.layer({ catalogOnLog: true })))

export const journey = (name: string, make: Make): void =>
  layer(layerOf(make), { excludeTestServices: true })(name, (it) => {
    it.effect("connects from the address and lists thirteen tools", () =>
      Effect.gen(function* () {
        const assistant = yield* OneAssistant
        const tools = yield* Effect.promise(() => assistant.tools())
        assert.deepStrictEqual(tools.map((tool) => tool.name).sort(), toolNames)
        for (const { name, outputSchema } of tools) assert.isObject(outputSchema, name)
        const { id, protocolVersion } = assistant.session()
        assert.isString(id)
        assert.strictEqual(protocolVersion, "2025-11-25")
      })
    )

    it.effect("finds models and wrappers, and their inputs", () =>
      Effect.gen(function* () {
        const echo = { modelEndpoint: "sandbox/echo" }
        assert.include(endpointsOf(yield* call("list_models", { limit: 100 })), "sandbox/echo")
        yield* call("recommended_models", { category: "utility" })
        assert.deepInclude(yield* call("get_model", echo), echo)
        const { inputSchema } = yield* call("get_model_raw_schema", echo)
        assert.deepInclude(Object(inputSchema), { type: "object", required: ["value"] })
        const [wrapper] = endpointsOf(yield* call("list_wrappers"))
        yield* call("recommended_wrappers", {})
        const modelEndpoint = String(wrapper)
        assert.deepInclude(yield* call("get_wrapper", { modelEndpoint }), { modelEndpoint })
        assert.include(JSON.stringify(yield* call("search", { query: "ecko" })), "sandbox/echo")
      })
    )

    it.effect("runs a model, waits for its end and finds it again", () =>
      Effect.gen(function* () {
        const assistant = yield* OneAssistant
        const run = { modelEndpoint: "sandbox/echo", input: { value: "hello" }, idempotencyKey: name }
        const { requestId } = Submitted(yield* call("run_model", run))
        assert.strictEqual(Submitted(yield* call("run_model", run)).requestId, requestId)

        const told = yield* Deferred.make<Told>()
        const waiting = yield* Effect.forkChild(
          Effect.promise(() =>
            assistant.call("wait_for_request", { requestId, pollIntervalSeconds: 0.5 }, (progress) =>
              Deferred.doneUnsafe(told, Effect.succeed(progress))
            )
          )
        )
        const { message, total } = yield* Deferred.await(told)
        assert.strictEqual(total, 120)
        assert.isString(message)
        yield* Lifecycle.start(requestId)
        yield* Lifecycle.deliver(requestId, { value: "hello" })
        const ended = done(yield* Fiber.join(waiting))
        const expected = { requestId, status: "COMPLETED", outcome: "succeeded", output: { value: "hello" } }
        assert.deepInclude(ended, expected)

        assert.deepInclude(yield* call("get_request", { requestId }), expected)
        const listed = Listed(yield* call("list_my_requests", { modelEndpoint: "sandbox/echo" }))
        assert.deepInclude(
          listed.data.map((item) => item["requestId"]),
          requestId
        )
      })
    )

    it.effect("uploads a file and receives its address", () =>
      Effect.gen(function* () {
        const bytes = Buffer.from("what the user has on the desk")
        const upload = { data: bytes.toString("base64"), fileName: "desk.txt", contentType: "text/plain" }
        const { fileUrl } = Uploaded(yield* call("upload_file", upload))
        const file = yield* Effect.promise(async () => (await fetch(fileUrl)).text())
        assert.strictEqual(file, bytes.toString())
      })
    )

    it.effect("receives a readable error when its call is wrong", () =>
      Effect.gen(function* () {
        const assistant = yield* OneAssistant
        const wrong = { modelEndpoint: "sandbox/ecko", input: {} }
        const unknown = yield* Effect.promise(() => assistant.call("run_model", wrong))
        assert.isTrue(unknown.isError)
        assert.include(unknown.text, "sandbox/echo")
      })
    )

    it.effect("refreshes its tokens without the user, also for calls that are rejected at once", () =>
      Effect.gen(function* () {
        const gate = refusingAtOnce()
        const assistant = yield* signedIn(make, gate.through)
        const session = assistant.session().id
        const { issued } = assistant.login
        assert.strictEqual(yield* Effect.promise(() => gate.listened), 405)
        yield* expireAccessTokens
        const queries = ["echo", "resize", "ocr"]
        gate.expect(queries.length)
        const answers = yield* Effect.promise(() =>
          Promise.all(queries.map((query) => assistant.call("search", { query })))
        )
        for (const answer of answers) assert.isFalse(answer.isError, answer.text)
        assert.strictEqual(assistant.login.issued, issued + queries.length)
        assert.strictEqual(assistant.session().id, session)
      })
    )

    it.effect("asks the user again after a sign-out", () =>
      Effect.gen(function* () {
        const assistant = yield* signedIn(make)
        assistant.login.authorizationUrl = undefined
        yield* quiet
        yield* revoke(assistant)
        const error = yield* Effect.promise(() =>
          assistant.call("search", { query: "echo" }).then(
            (answer) => assert.fail(`It was answered: ${answer.text}`),
            (error: unknown) => error
          )
        )
        assert.isTrue(assistant.isUnauthorized(error), String(error))
        assert.isDefined(assistant.login.authorizationUrl)
      })
    )

    it.effect("ends its session", () =>
      Effect.gen(function* () {
        const assistant = yield* signedIn(make)
        const ended = assistant.session().id ?? ""
        yield* Effect.promise(() => assistant.endSession())
        assert.isUndefined(assistant.session().id)
        const { urls } = yield* TestServer.TestServer
        const again = yield* Effect.promise(() =>
          fetch(`${urls.mcpUrl}/mcp`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${assistant.login.current?.access_token}`,
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
              "mcp-session-id": ended
            },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
          })
        )
        assert.strictEqual(again.status, 404)
      })
    )
  })

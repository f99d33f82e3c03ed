/** Servers that refuse what others expect: by the binding's options, and by what is learned from their first refusal. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import * as OpenaiProvider from "#src/features/providers/openai/OpenaiProvider.ts"
import { jobOf } from "#test/support/src/features/providers/contract/AdapterUnderTest.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"
import * as Surroundings from "#test/support/src/features/providers/contract/Surroundings.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "#test/support/upstreams/JsonHttp.ts"

const completion = {
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { total_tokens: 1 }
}

interface Refusal {
  readonly status: number
  readonly json: Json
}

/** A server that refuses some bodies, and takes the others. */
const start = Effect.fnUntraced(function* (
  refusalOf: (body: JsonObject) => Refusal | null,
  options: JsonObject = {},
  query = ""
) {
  const bodies: Array<JsonObject> = []
  const paths: Array<string> = []
  const { port } = yield* Receiver.http((request, response) => {
    void JsonHttp.read(request).then((read) => {
      const body = read !== null && isObject(read.body) ? read.body : {}
      bodies.push(body)
      paths.push(request.url ?? "")
      const refusal = refusalOf(body)
      return refusal === null
        ? JsonHttp.answer(response, 200, completion)
        : JsonHttp.answer(response, refusal.status, refusal.json)
    })
  })
  const surroundings = yield* Layer.build(Surroundings.layer({}))
  const provider = yield* Effect.provide(OpenaiProvider.make, surroundings)
  const binding: ProviderBinding = {
    name: "openai",
    adapter: "openai",
    url: `http://127.0.0.1:${port}/v1${query}`,
    options: { endpoint: "chat", model: "m", ...options }
  }
  const run = Effect.fnUntraced(function* (input: Json) {
    const { control } = yield* RecordedControl.make
    return (yield* provider.run(jobOf(binding, input), control))._tag
  })
  return { run, bodies, paths }
})

const message = (role: string, content: Json): JsonObject => ({ role, content })
const hello = { messages: [message("user", "Hello")] }

/** A refusal in the words of pydantic, which many servers of Python have. */
const extra = (name: string): Refusal => ({
  status: 422,
  json: { detail: [{ type: "extra_forbidden", loc: ["body", name], msg: "Extra inputs are not permitted" }] }
})

const said = (text: string, status = 400): Refusal => ({
  status,
  json: { error: { message: text, type: "invalid_request_error", code: null } }
})

const rolesIn = ({ messages }: JsonObject): ReadonlyArray<Json> =>
  isList(messages) ? messages.map((one) => (isObject(one) ? (one["role"] ?? null) : null)) : []

const has = (name: string) => (body: JsonObject) => (name in body ? extra(name) : null)

const forbidsDeveloper = (body: JsonObject) =>
  rolesIn(body).includes("developer") ? said("Unexpected role developer") : null

const forbidsLateSystem = (body: JsonObject) =>
  rolesIn(body).slice(1).includes("system") ? said("System message must be at the beginning.", 500) : null

const instructed = {
  messages: [
    message("developer", "A"),
    message("user", "Hello"),
    message("developer", "B"),
    message("system", "C")
  ]
}

describe("A strict server", () => {
  const learned: ReadonlyArray<
    readonly [string, (body: JsonObject) => Refusal | null, JsonObject, (body: JsonObject) => void]
  > = [
    [
      "is not asked for usage",
      has("stream_options"),
      hello,
      (body) => assert.notProperty(body, "stream_options")
    ],
    [
      "gets max_tokens",
      has("max_completion_tokens"),
      { ...hello, max_completion_tokens: 50 },
      (body) => assert.deepInclude(body, { max_tokens: 50 })
    ],
    [
      "gets max_completion_tokens",
      (body) =>
        "max_tokens" in body
          ? said(
              "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
            )
          : null,
      { ...hello, max_tokens: 50 },
      (body) => assert.deepInclude(body, { max_completion_tokens: 50 })
    ],
    [
      "gets developer messages as system messages",
      forbidsDeveloper,
      instructed,
      (body) => assert.deepStrictEqual(rolesIn(body), ["system", "user", "system", "system"])
    ],
    [
      "gets one system message",
      forbidsLateSystem,
      { messages: [message("system", "A"), message("user", "Hello"), message("system", "B")] },
      (body) =>
        assert.deepStrictEqual(body["messages"], [message("system", "A\n\nB"), message("user", "Hello")])
    ]
  ]
  for (const [what, refusalOf, input, look] of learned) {
    it.live(`${what} after it has refused that once`, () =>
      Effect.gen(function* () {
        const { bodies, run } = yield* start(refusalOf)
        assert.strictEqual(yield* run(input), "Succeeded")
        assert.lengthOf(bodies, 2)
        look(bodies[1] ?? {})
        assert.strictEqual(yield* run(input), "Succeeded")
        assert.lengthOf(bodies, 3)
        assert.deepStrictEqual(bodies[2], bodies[1])
      })
    )
  }

  it.live("may refuse one thing after the other", () =>
    Effect.gen(function* () {
      const { bodies, run } = yield* start(
        (body) => has("stream_options")(body) ?? forbidsDeveloper(body) ?? forbidsLateSystem(body)
      )
      assert.strictEqual(yield* run(instructed), "Succeeded")
      assert.lengthOf(bodies, 4)
      assert.deepStrictEqual(bodies[3]?.["messages"], [
        message("system", "A\n\nB\n\nC"),
        message("user", "Hello")
      ])
    })
  )

  it.live("is told nothing in another way that its options settle, or that has no other way", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [(body: JsonObject) => Refusal | null, JsonObject, JsonObject]> = [
        [has("stream_options"), { streamUsage: true }, hello],
        [has("max_completion_tokens"), { tokenLimit: "max_completion_tokens" }, { ...hello, max_tokens: 5 }],
        [forbidsDeveloper, { developerRole: "developer" }, instructed],
        [has("reasoning_effort"), {}, { ...hello, reasoning_effort: "low" }],
        [() => said("max_tokens is too large: 5000."), {}, { ...hello, max_tokens: 5_000 }]
      ]
      for (const [refusalOf, options, input] of cases) {
        const { bodies, run } = yield* start(refusalOf, options)
        assert.strictEqual(yield* run(input), "ProviderError")
        assert.lengthOf(bodies, 1)
      }
    })
  )

  it.live("is not remembered for a refusal that had another reason", () =>
    Effect.gen(function* () {
      // The error repeats the body, as some do.
      const { bodies, run } = yield* start((body) => ({
        status: 422,
        json: { detail: "temperature", input: body }
      }))
      assert.strictEqual(yield* run(hello), "ProviderError")
      assert.strictEqual(yield* run(hello), "ProviderError")
      assert.deepStrictEqual(
        bodies.map((body) => "stream_options" in body),
        [true, false, true, false]
      )
    })
  )

  it.live("gets what the options say at once", () =>
    Effect.gen(function* () {
      const { bodies, run } = yield* start(() => null, {
        streamUsage: false,
        tokenLimit: "max_tokens",
        oneSystemMessage: true
      })
      const parts = [{ type: "text", text: "B" }]
      const messages = [message("user", "Hello"), message("system", "A"), message("developer", parts)]
      yield* run({ messages, max_completion_tokens: 50 })
      assert.deepStrictEqual(bodies, [
        {
          max_tokens: 50,
          messages: [message("system", [{ type: "text", text: "A" }, ...parts]), message("user", "Hello")],
          model: "m",
          stream: true
        }
      ])
      const roles = yield* start(() => null, { developerRole: "system" })
      yield* roles.run({ messages })
      assert.deepStrictEqual(roles.bodies.map(rolesIn), [["user", "system", "system"]])
    })
  )

  it.live("is called at its path, before the query of the binding's address", () =>
    Effect.gen(function* () {
      const { paths, run } = yield* start(() => null, {}, "/?api-version=2024-10-21&a=b/?")
      assert.strictEqual(yield* run(hello), "Succeeded")
      assert.deepStrictEqual(paths, ["/v1/chat/completions?api-version=2024-10-21&a=b/?"])
    })
  )
})

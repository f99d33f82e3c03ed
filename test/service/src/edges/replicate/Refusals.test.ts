/** What Replicate's API refuses, as the package's client gets it. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { MaxFileBytes } from "#src/edges/replicate/files/FormFile.ts"
import * as PredictionBody from "#src/edges/replicate/predictions/PredictionBody.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"
import {
  client,
  clientWith,
  create,
  echo,
  fieldsOf,
  refusal
} from "#test/support/src/edges/replicate/Clients.ts"

const hooked = { ...echo, webhook: "https://hooks.acme.dev" }

const mostBytes = 4_096

const server = TestServer.layer().pipe(Layer.provide(Layer.succeed(MaxFileBytes, mostBytes)))

/** The answer to a call with that body. */
const post = (body: string | object, path = "/models/sandbox/echo/predictions") =>
  call({
    method: "POST",
    path: `/compat/replicate/v1${path}`,
    headers: jsonHeaders,
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

layer(server, { excludeTestServices: true })("Replicate's API", (it) => {
  it.effect("refuses what it does not know, and names it", () =>
    Effect.gen(function* () {
      const replicate = yield* client()
      assert.deepStrictEqual(yield* refusal(() => replicate.run("sandbox/none", { input: {} })), {
        title: "Not found",
        detail: "Model not found.",
        status: 404
      })
      const stale = yield* refusal(() => replicate.run("sandbox/echo:27b93a24", { input: { value: 1 } }))
      assert.deepStrictEqual([stale.status, fieldsOf(stale)], [422, ["version version"]])
      const latest = yield* Effect.promise(() => replicate.models.get("sandbox", "slow"))
      const other = yield* post({ ...echo, version: latest.latest_version?.id })
      assert.deepStrictEqual([other.status, fieldsOf(other.json)], [422, ["version version"]])
      const calls = [
        () => replicate.models.versions.get("sandbox", "echo", "27b93a24"),
        () => replicate.models.get("sandbox", "none"),
        () => replicate.files.get("none")
      ]
      for (const call of calls) assert.strictEqual((yield* refusal(call)).status, 404)
    })
  )

  it.effect("refuses a wrong key, and one without money", () =>
    Effect.gen(function* () {
      const nobody = yield* clientWith("nobody:secret")
      assert.deepInclude(yield* refusal(() => nobody.predictions.list()), {
        title: "Unauthenticated",
        status: 401
      })
      const poor = yield* client("poorKey")
      assert.deepInclude(yield* refusal(() => poor.predictions.create(echo)), {
        title: "Insufficient credit",
        status: 402,
        code: "INSUFFICIENT_BALANCE"
      })
    })
  )

  it.effect("hides predictions and files of other accounts", () =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const other = yield* client("otherKey")
      const { id } = yield* create(replicate)
      const file = yield* Effect.promise(() => replicate.files.create(new Blob(["a"])))
      const calls = [
        () => other.predictions.get(id),
        () => other.predictions.cancel(id),
        () => other.predictions.get("none"),
        () => other.files.get(file.id),
        () => other.files.delete(file.id)
      ]
      for (const call of calls) assert.strictEqual((yield* refusal(call)).status, 404)
      assert.strictEqual((yield* Effect.promise(() => replicate.predictions.get(id))).status, "starting")
    })
  )

  it.effect.each([
    ["without input", {}, 422, "input required"],
    ["with an input that is no object", { input: [1] }, 422, "input type"],
    ["with an invalid input", { input: {} }, 422, "input.value required"],
    [
      "with reserved names in the input",
      { input: { value: 1, webhook: "x" } },
      422,
      "input.webhook reserved"
    ],
    ["with a version that is no text", { ...echo, version: 1 }, 422, "version type"],
    ["with a webhook that is no text", { ...echo, webhook: 1 }, 422, "webhook type"],
    ["with a plain webhook", { ...echo, webhook: "http://hooks.acme.dev" }, 422, "webhook not_https"],
    [
      "with a private webhook",
      { ...echo, webhook: "https://inside.acme.dev" },
      422,
      "webhook private_address"
    ],
    [
      "with events that are not sent",
      { ...hooked, webhook_events_filter: ["completed", "output"] },
      422,
      "webhook_events_filter.1 unsupported"
    ],
    [
      "with events that do not exist",
      { ...hooked, webhook_events_filter: ["end"] },
      422,
      "webhook_events_filter.0 enum"
    ],
    [
      "with events and no webhook",
      { ...echo, webhook_events_filter: ["start"] },
      422,
      "webhook_events_filter dependentRequired"
    ],
    ["with two inputs", '{"input":{"value":1},"\\u0069nput":{"value":2}}', 422, "input uniqueItems"],
    ["that is no object", "[]", 422, " type"],
    ["that is no JSON", '{"input":{"value":1}', 400, undefined],
    ["with an input that is no JSON", '{"input":{"value":nothing}}', 400, undefined],
    ["with too much beside the input", { ...echo, more: "a".repeat(70_000) }, 413, undefined]
  ] as const)("refuses a body %s", ([, body, status, field]) =>
    Effect.gen(function* () {
      const reply = yield* post(body)
      assert.strictEqual(reply.status, status, reply.text)
      assert.deepStrictEqual(fieldsOf(reply.json)?.[0], field)
    })
  )

  it.effect("needs a version where no model is in the path", () =>
    Effect.gen(function* () {
      const reply = yield* post({ input: { value: 1 } }, "/predictions")
      assert.deepStrictEqual([reply.status, fieldsOf(reply.json)], [422, ["version required"]])
      const named = yield* post({ input: { value: 1 }, version: "sandbox/echo" }, "/predictions")
      assert.deepStrictEqual([named.status, Object(named.json).model], [201, "sandbox/echo"])
    })
  )

  it.effect("refuses files that are too large, and malformed forms", () =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const upload = (bytes: number) => () => replicate.files.create(new Blob(["a".repeat(bytes)]))
      yield* Effect.promise(upload(mostBytes))
      for (const bytes of [mostBytes + 1, 200_000]) {
        assert.deepInclude(yield* refusal(upload(bytes)), { status: 413, code: "FILE_TOO_LARGE" })
      }
      const labelled = yield* refusal(() => replicate.files.create(new Blob(["a"]), { customer: "123" }))
      assert.deepStrictEqual(fieldsOf(labelled), ["metadata unsupported"])
      const path = "/compat/replicate/v1/files"
      const type = { "content-type": "multipart/form-data; boundary=x" }
      const form = (name: string) =>
        `--x\r\ncontent-disposition: form-data; name="${name}"; filename="a"\r\n\r\nb\r\n--x--\r\n`
      const replies = yield* Effect.forEach(
        [
          { headers: jsonHeaders, body: "{}" },
          { headers: type, body: form("other") },
          { headers: type, body: form("content").slice(0, -12) },
          { headers: type, body: "nonsense" }
        ],
        (sent) => call({ method: "POST", path, ...sent })
      )
      assert.deepStrictEqual(
        replies.map(({ status }) => status),
        [415, 422, 400, 400]
      )
    })
  )
})

describe("a body of a prediction", () => {
  it("with too many values is refused before its members are looked at", () => {
    const members = Array.from({ length: 200_000 }, (_, index) => `"${index}":0`)
    const body = Buffer.from(`{"input":{${members.join(",")}}}`)
    const parsed = PredictionBody.parse(body)
    assert.strictEqual(Result.isFailure(parsed) ? parsed.failure : null, ErrorAnswer.tooManyValues)
  })
})

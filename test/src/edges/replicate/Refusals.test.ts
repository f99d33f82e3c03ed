/** What Replicate's API refuses and how it shows a prediction in each state, as the package's client gets it. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import Replicate, { type ApiError, type Prediction } from "replicate"
import { Origin } from "#domain/account/Origin.ts"
import { RequestId } from "#domain/Ids.ts"
import { MaxFileBytes } from "#src/edges/replicate/files/FormFile.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as OutputEvents from "#src/edges/replicate/predictions/OutputEvents.ts"
import * as PredictionBody from "#src/edges/replicate/predictions/PredictionBody.ts"
import * as StreamUrls from "#src/edges/replicate/predictions/StreamUrls.ts"
import { presentedBy } from "#src/features/accounts/Authentication.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call } from "#test/src/edges/http/Calls.ts"
import * as GrantedKeys from "#test/src/edges/http/GrantedKeys.ts"
import { type Scenario, names, scenarios } from "#test/src/edges/http/Scenarios.ts"

const mostBytes = 4_096

const server = TestServer.layer().pipe(Layer.provide(Layer.succeed(MaxFileBytes, mostBytes)))

type Account = "key" | "otherKey" | "poorKey"

const clientWith = (auth: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    TestServer.TestServer,
    ({ urls }) =>
      new Replicate({
        baseUrl: `${urls.baseUrl}/compat/replicate/v1`,
        auth,
        fetch: (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as object), ...headers } })
      })
  )

const client = (account: Account = "key", headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(TestServer.TestServer, (server) => clientWith(server[account].slice("Key ".length), headers))

const bodyOf = async (error: unknown) => {
  const { message } = error as ApiError
  const text = /^Request to \S+ failed with status (\d+) .*?: (\{.*\})\.$/.exec(message)
  return { status: Number(text?.[1]), ...JSON.parse(text?.[2] ?? `{"message":${JSON.stringify(message)}}`) }
}

/** The body of the error that the call ends in. */
const refusal = (call: () => Promise<unknown>) =>
  Effect.promise(() => call().then(() => Promise.reject(new Error("was not refused")), bodyOf))

const echo = { model: "sandbox/echo", input: { value: "hello" } }

const create = (replicate: Replicate, options: Parameters<Replicate["predictions"]["create"]>[0] = echo) =>
  Effect.promise(() => replicate.predictions.create(options))

/** What a call with that body is refused with. */
const post = (body: string | object, path = "/models/sandbox/echo/predictions") =>
  call({
    method: "POST",
    path: `/compat/replicate/v1${path}`,
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

const fieldsOf = (json: unknown) =>
  Object(json).invalid_fields?.map(({ field, type }: { field: string; type: string }) => `${field} ${type}`)

const shown: Readonly<Record<Scenario, Partial<Prediction>>> = {
  queued: { status: "starting", output: null, error: null },
  running: { status: "processing", output: null, error: null },
  succeeded: { status: "succeeded", output: { value: 1 }, error: null, data_removed: false },
  erased: { status: "succeeded", output: null, data_removed: true },
  partial: { status: "succeeded" },
  invalidOutput: {
    status: "failed",
    output: null,
    error: "The model's output does not match its declared schema."
  },
  providerFailed: { status: "failed", output: null, error: "The picture is empty." },
  failed: { status: "failed", output: null, error: "The provider refused the run." },
  cancelled: { status: "canceled", output: null, error: null }
}

layer(server, { excludeTestServices: true })("Replicate's API", (it) => {
  it.effect.each(names)("shows a request that is %s", (scenario) =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const id = yield* scenarios[scenario]
      const prediction = yield* Effect.promise(() => replicate.predictions.get(id))
      assert.deepInclude(prediction, { ...shown[scenario], id, source: "api", logs: "" })
      const { baseUrl } = (yield* TestServer.TestServer).urls
      assert.strictEqual(prediction.urls.get, `${baseUrl}/compat/replicate/v1/predictions/${id}`)
    })
  )

  it.effect("measures a run as it was", () =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const id = yield* scenarios.succeeded
      const { completed_at, created_at, metrics, started_at } = yield* Effect.promise(() =>
        replicate.predictions.get(id)
      )
      assert.deepStrictEqual(metrics, { predict_time: 1.5, total_time: 1.54 })
      assert.strictEqual(Date.parse(started_at ?? "") - Date.parse(created_at), 40)
      assert.strictEqual(Date.parse(completed_at ?? "") - Date.parse(created_at), 1_540)
    })
  )

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
      const versions = replicate.models.versions
      assert.strictEqual((yield* refusal(() => versions.get("sandbox", "echo", "27b93a24"))).status, 404)
      assert.strictEqual((yield* refusal(() => replicate.models.get("sandbox", "none"))).status, 404)
      assert.strictEqual((yield* refusal(() => replicate.files.get("none"))).status, 404)
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
      { ...echo, webhook: "https://hooks.acme.dev", webhook_events_filter: ["completed", "output"] },
      422,
      "webhook_events_filter.1 unsupported"
    ],
    [
      "with events that do not exist",
      { ...echo, webhook: "https://hooks.acme.dev", webhook_events_filter: ["end"] },
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

  it.effect("accepts a large input as it is, and shows it again", () =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const value = 'a"\\é'.repeat(100_000)
      const { id } = yield* create(replicate, { model: "sandbox/echo", input: { value } })
      const { input } = yield* Effect.promise(() => replicate.predictions.get(id))
      assert.deepStrictEqual(input, { value })
    })
  )

  it.effect("sends the start and the end of a prediction whose webhook names no events", () =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const webhook = "https://hooks.acme.dev/x"
      const { webhook_events_filter } = yield* create(replicate, { ...echo, webhook })
      assert.deepStrictEqual(webhook_events_filter, ["start", "completed"])
    })
  )

  it.effect("repeats its answer under an idempotency key, and expires predictions as told", () =>
    Effect.gen(function* () {
      const replicate = yield* client("key", { "idempotency-key": "once", "cancel-after": "90s" })
      const first = yield* create(replicate)
      assert.strictEqual((yield* create(replicate)).id, first.id)
      const other = yield* refusal(() => replicate.predictions.create({ ...echo, input: { value: 2 } }))
      assert.deepInclude(other, { status: 409, code: "IDEMPOTENCY_KEY_REUSED" })
      const late = yield* client("key", { "cancel-after": "soon" })
      assert.deepStrictEqual(fieldsOf(yield* refusal(() => late.predictions.create(echo))), [
        "Cancel-After duration"
      ])
    })
  )

  it.effect(
    "says starting of a prediction that runs when the wait is over, so that the client polls it",
    () =>
      Effect.gen(function* () {
        const replicate = yield* client()
        const creating = create(replicate, { ...echo, wait: 1 })
        const starting = Effect.gen(function* () {
          let found: ReadonlyArray<Prediction> = []
          while (found.length === 0) {
            const listed = yield* Effect.promise(() => replicate.predictions.list())
            found = listed.results.slice(0, 1)
          }
          yield* Lifecycle.start(RequestId.make(found[0]?.id ?? ""))
        })
        // The newest one may be of another test, then this one waits in the queue.
        const [{ id, status }] = yield* Effect.all([creating, Effect.ignore(starting)], { concurrency: 2 })
        assert.strictEqual(status, "starting")
        yield* Effect.ignore(Lifecycle.start(RequestId.make(id)))
        assert.strictEqual((yield* Effect.promise(() => replicate.predictions.get(id))).status, "processing")
      })
  )

  it.effect("lists all predictions once, on pages", () =>
    Effect.gen(function* () {
      const replicate = yield* client("otherKey")
      const created = yield* Effect.forEach(
        Array.from({ length: 103 }, (_, value) => value),
        (value) => create(replicate, { model: "sandbox/echo", input: { value } }),
        { concurrency: 8 }
      )
      const pages = yield* Effect.promise(async () => {
        const pages: Array<ReadonlyArray<Prediction>> = []
        for await (const page of replicate.paginate(replicate.predictions.list)) pages.push(page)
        return pages
      })
      assert.deepStrictEqual(
        pages.map(({ length }) => length),
        [100, 3]
      )
      assert.sameMembers(
        pages.flat().map(({ id }) => id),
        created.map(({ id }) => id)
      )
      const found = pages.flat().find(({ id }) => id === created[0]?.id)
      assert.deepStrictEqual(found?.input, { value: 0 })
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
          { headers: { "content-type": "application/json" }, body: "{}" },
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

  it.effect("opens streams for their prediction and their key only", () =>
    Effect.gen(function* () {
      const replicate = yield* client()
      const one = yield* create(replicate)
      const two = yield* create(replicate)
      // Their streams end at once, should they open.
      for (const { id } of [one, two]) yield* Effect.promise(() => replicate.predictions.cancel(id))
      const url = new URL(one.urls.stream ?? "")
      const token = url.searchParams.get("token") ?? ""
      const pathOf = (id: string, token: string) =>
        `/compat/replicate/v1/predictions/${id}/stream?token=${token}`
      const streams = yield* StreamUrls.make
      const { now } = yield* SteadyTime
      const presented = presentedBy((yield* TestServer.TestServer).key)
      if (presented === null) return assert.fail("no key")
      const tokenOf = (url: string) => new URL(url).searchParams.get("token") ?? ""
      const late = tokenOf(streams.url(one.id, presented, (yield* now) - 3_600_000))
      const inTime = tokenOf(streams.url(one.id, presented, (yield* now) - 3_500_000))
      assert.strictEqual((yield* call({ path: pathOf(one.id, inTime) })).status, 200)
      const changed = `${token.slice(0, -4)}AAAA`
      const bad = [pathOf(two.id, token), pathOf(one.id, changed), pathOf(one.id, "v1"), pathOf(one.id, late)]
      for (const path of bad) {
        const reply = yield* call({ path })
        assert.deepStrictEqual([reply.status, Object(reply.json).code], [401, "STREAM_URL_INVALID"])
      }
      assert.strictEqual((yield* call({ path: url.pathname })).status, 422)

      const { authorization } = yield* GrantedKeys.issue({ scopes: ["requests:write"] })
      const keyText = authorization.slice("Key ".length)
      const writing = yield* create(yield* clientWith(keyText))
      const { pathname, search } = new URL(writing.urls.stream ?? "")
      const path = pathname + search
      const unread = yield* call({ path })
      assert.deepStrictEqual([unread.status, Object(unread.json).code], [403, "MISSING_SCOPE"])
      yield* call({ method: "DELETE", path: `/keys/${keyText.split(":")[0]}` })
      const revoked = yield* call({ path })
      assert.deepStrictEqual([revoked.status, Object(revoked.json).code], [401, "STREAM_URL_INVALID"])
    })
  )
})

const page = "https://app.acme.dev"

layer(server, { excludeTestServices: true })("pages", (it) => {
  it.effect("read streams if the key names their origin, also with credentials", () =>
    Effect.gen(function* () {
      const open = yield* GrantedKeys.issue({ origins: [Origin.make(page)] })
      const closed = yield* GrantedKeys.issue()
      const replies = yield* Effect.forEach([open, closed], ({ authorization }) =>
        Effect.gen(function* () {
          const replicate = yield* clientWith(authorization.slice("Key ".length))
          const { id, urls } = yield* create(replicate)
          yield* Effect.promise(() => replicate.predictions.cancel(id))
          const { pathname, search } = new URL(urls.stream ?? "")
          return yield* call({ path: pathname + search, headers: { origin: page } })
        })
      )
      const [read, refused] = replies
      assert.strictEqual(read?.status, 200)
      assert.strictEqual(read?.text, 'event: done\ndata: {"reason":"canceled"}\n\n')
      assert.deepInclude(read?.headers, {
        "access-control-allow-origin": page,
        "access-control-allow-credentials": "true"
      })
      assert.deepStrictEqual([refused?.status, Object(refused?.json).code], [403, "ORIGIN_NOT_ALLOWED"])
    })
  )
})

describe("the stream of a key that is revoked", () => {
  it.effect("ends, and says so, so that the client throws", () =>
    Effect.gen(function* () {
      const { authorization } = yield* GrantedKeys.issue()
      const keyText = authorization.slice("Key ".length)
      const { urls } = yield* create(yield* clientWith(keyText))
      const response = yield* Effect.promise(() => fetch(urls.stream ?? ""))
      yield* call({ method: "DELETE", path: `/keys/${keyText.split(":")[0]}` })
      yield* TestClock.adjust("5 seconds")
      assert.match(
        yield* Effect.promise(() => response.text()),
        /^event: error\ndata: \{"detail":"The stream was cut off[^"]+"\}\n\n$/
      )
    }).pipe(Effect.provide(TestServer.layer()))
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

describe("the stream of a prediction", () => {
  const written = () => {
    const frames: Array<string> = []
    const stream = { write: (text: string | Uint8Array) => frames.push(String(text)) > 0, ready: Effect.void }
    return { frames, stream }
  }

  it("has a line of data for each line of the text", () => {
    const { frames, stream } = written()
    const { reader } = OutputEvents.make(stream, { isResumed: false, kind: "text" })
    reader.chunk({ id: "1", text: JSON.stringify("a\nb\r\n c") })
    assert.deepStrictEqual(frames, ["id: 1\nevent: output\ndata: a\ndata: b\ndata:  c\n\n"])
  })

  it("has an event for each item of a whole list", () => {
    const { frames, stream } = written()
    const { reader } = OutputEvents.make(stream, { isResumed: false, kind: null })
    reader.chunk({ id: "1", text: '["a",{"b":1}]' })
    assert.deepStrictEqual(frames, ['event: output\ndata: a\n\nid: 1\nevent: output\ndata: {"b":1}\n\n'])
  })

  it.effect("ends in an error when output that was sent does not count any more", () =>
    Effect.gen(function* () {
      const { frames, stream } = written()
      const { lost, reader } = OutputEvents.make(stream, { isResumed: false, kind: "text" })
      reader.restart()
      assert.deepStrictEqual(frames, [])
      reader.chunk({ id: "1", text: '"a"' })
      reader.restart()
      reader.chunk({ id: "2", text: '"b"' })
      yield* lost
      assert.match(
        frames.join(""),
        /^id: 1\nevent: output\ndata: a\n\nevent: error\ndata: \{"detail":"[^"]+"\}\n\n$/
      )
    })
  )

  it("tells a client that resumes at an unknown place", () => {
    const { frames, stream } = written()
    OutputEvents.make(stream, { isResumed: true, kind: "text" }).reader.restart()
    assert.match(frames.join(""), /^event: error\n/)
  })
})

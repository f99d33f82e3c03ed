/** The hot routes are implemented twice, and no client can tell by which way it was answered. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, type Layer, References } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "#src/http/Api.ts"
import { maxBytes } from "#src/http/requests/JsonBody.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import { type Probe, type Reply, send } from "#test/support/HttpProbe.ts"
import { TestServer } from "#test/support/TestServer.ts"
import * as TwoWays from "#test/support/TwoWays.ts"
import { jsonHeaders } from "./Calls.ts"
import { modelOf, type Scenario, scenarios } from "./Scenarios.ts"

interface Case {
  readonly route: "submit" | "status" | "result"
  readonly status: number
  readonly name: string
  readonly probe: Effect.Effect<Probe, unknown, Layer.Success<ReturnType<typeof TwoWays.layer>>>
}

/** Ids that each answer has of its own: of the exchange, and of what was created. */
const withoutOwnIds = ({ headers, text }: Reply, created: unknown): string =>
  [headers["x-request-id"], created].reduce<string>(
    (rest, id) => (typeof id === "string" ? rest.replaceAll(id, "<id>") : rest),
    text
  )

/** Names in their spelling and values, in order, but for the exchange's id and the time. */
const headersOf = ({ rawHeaders }: Reply): ReadonlyArray<string> =>
  rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1) return []
    return [`${name}: ${name === "Date" || name === "x-request-id" ? "…" : rawHeaders[index + 1]}`]
  })

/** Sends the same to both ways; gives the answers after they have been found equal. */
const both = Effect.fnUntraced(function* (probe: Probe) {
  const ports = yield* TwoWays.TwoWays
  const declared = yield* send(ports.declared, probe)
  const fast = yield* send(ports.fast, probe)
  const created = (reply: Reply): unknown =>
    probe.method === "POST" ? Reflect.get(Object(reply.json), "request_id") : undefined
  assert.notStrictEqual(fast.status, TwoWays.notTaken, "the fast path takes it")
  assert.strictEqual(fast.status, declared.status, fast.text)
  assert.deepStrictEqual(headersOf(fast), headersOf(declared))
  assert.strictEqual(withoutOwnIds(fast, created(fast)), withoutOwnIds(declared, created(declared)))
  assert.match(String(fast.headers["x-request-id"]), /^[\w-]{21}$/)
  return { declared, fast }
})

const keyed = <E, R>(probe: Effect.Effect<Probe, E, R>) =>
  Effect.gen(function* () {
    const { key } = yield* TestServer
    const { headers, ...rest } = yield* probe
    return { ...rest, headers: { authorization: key, ...headers } }
  })

const post = (body: string | Uint8Array, headers: Probe["headers"] = {}, model = "sandbox/echo") =>
  keyed(Effect.succeed({ method: "POST", path: `/${model}`, headers: { ...jsonHeaders, ...headers }, body }))

const reading = (scenario: Scenario, suffix: string, headers: Probe["headers"] = {}) =>
  keyed(
    Effect.map(scenarios[scenario], (id) => ({
      path: `/${modelOf(scenario)}/requests/${id}${suffix}`,
      headers
    }))
  )

/** Of no actor that is in memory: the log has to be asked. */
const ofUnknown = (probe: Probe): Probe => ({ ...probe, path: probe.path.replace(/rq[\w-]{19}/, unknownId) })

const otherKey = Effect.gen(function* () {
  const { otherKey } = yield* TestServer
  return { authorization: otherKey }
})

const unknownId = "rq0qXk2Ab-0Zp1aB3dE5f"
const refusedKeys = {
  none: {},
  wrong: { authorization: "Key alpha:wrong" },
  bearer: { authorization: "Bearer x" }
}
const json = (value: unknown) => JSON.stringify(value)

const submitFirst = (probe: Probe) => Effect.flatMap(TwoWays.TwoWays, ({ declared }) => send(declared, probe))

const submits: ReadonlyArray<Omit<Case, "route">> = [
  { name: "an input", status: 200, probe: post(json({ value: { a: [1, "é"] } })) },
  {
    name: "an input in chunks",
    status: 200,
    probe: post(json({ value: 1 }), { "transfer-encoding": "chunked" })
  },
  { name: "metadata", status: 200, probe: post(json({ value: 1 }), { "x-request-metadata": '{"a":"b"}' }) },
  {
    name: "a webhook",
    status: 200,
    probe: post(json({ value: 1, webhook: "https://hooks.acme.dev/x", webhook_events_filter: ["start"] }))
  },
  {
    name: "what was submitted before",
    status: 200,
    probe: Effect.tap(post(json({ value: 1 }), { "idempotency-key": "again" }), submitFirst)
  },
  { name: "a body that is no JSON", status: 400, probe: post("{") },
  { name: "a body that is no object", status: 400, probe: post("[]") },
  { name: "no body", status: 400, probe: post("") },
  { name: "bytes that are no UTF-8", status: 400, probe: post(Uint8Array.of(0x7b, 0xff, 0x7d)) },
  { name: "a nesting too deep", status: 400, probe: post(`{"value":${"[".repeat(200)}${"]".repeat(200)}}`) },
  { name: "an input that breaks the schema", status: 400, probe: post(json({ delayMs: -1 })) },
  {
    name: "several headers that are wrong",
    status: 400,
    probe: post(json({ value: 1 }), {
      "x-request-metadata": "[]",
      "cancel-after": "x",
      "idempotency-key": "é"
    })
  },
  {
    name: "a webhook inside",
    status: 400,
    probe: post(json({ value: 1, webhook: "https://inside.acme.dev/x" }))
  },
  ...Object.entries(refusedKeys).map(([name, headers]) => ({
    name: `key: ${name}`,
    status: 401,
    probe: Effect.succeed({
      method: "POST",
      path: "/sandbox/echo",
      headers: { ...jsonHeaders, ...headers },
      body: json({ value: 1 })
    })
  })),
  { name: "an unknown model", status: 404, probe: post(json({ value: 1 }), {}, "nobody/nothing") },
  {
    name: "a key that is taken",
    status: 409,
    probe: Effect.andThen(
      Effect.flatMap(post(json({ value: 1 }), { "idempotency-key": "taken" }), submitFirst),
      post(json({ value: 2 }), { "idempotency-key": "taken" })
    )
  },
  {
    name: "a length too large",
    status: 413,
    probe: post("{}", { "content-length": String(maxBytes + 1), connection: "close" })
  },
  {
    name: "a body that turns out too large",
    status: 413,
    probe: post(new Uint8Array(maxBytes + 1).fill(0x20), { "transfer-encoding": "chunked" })
  },
  { name: "another content type", status: 415, probe: post("value=1", { "content-type": "text/plain" }) },
  { name: "a compressed body", status: 415, probe: post("{}", { "content-encoding": "gzip" }) },
  {
    name: "a full queue",
    status: 429,
    probe: post(json({ image: "data:image/png;base64,AAAA" }), {}, "vision/ocr")
  }
]

const reads = (suffix: string): ReadonlyArray<Omit<Case, "route">> => [
  {
    name: "a malformed id",
    status: 400,
    probe: keyed(Effect.succeed({ path: `/sandbox/echo/requests/short${suffix}` }))
  },
  ...Object.entries(refusedKeys).map(([name, headers]) => ({
    name: `key: ${name}`,
    status: 401,
    probe: Effect.succeed({ path: `/sandbox/echo/requests/${unknownId}${suffix}`, headers })
  })),
  {
    name: "another account's request",
    status: 403,
    probe: Effect.gen(function* () {
      return { ...(yield* reading("queued", suffix)), headers: yield* otherKey }
    })
  },
  {
    name: "an unknown request",
    status: 404,
    probe: keyed(Effect.succeed({ path: `/sandbox/echo/requests/${unknownId}${suffix}` }))
  },
  {
    name: "another model's request",
    status: 404,
    probe: Effect.map(reading("queued", suffix), (probe) => ({
      ...probe,
      path: probe.path.replace("echo", "slow")
    }))
  }
]

const statuses: ReadonlyArray<Omit<Case, "route">> = [
  ...(
    ["queued", "running", "succeeded", "partial", "invalidOutput", "providerFailed", "cancelled"] as const
  ).map((scenario) => ({ name: scenario, status: 200, probe: reading(scenario, "/status") })),
  { name: "an old tag", status: 200, probe: reading("queued", "/status", { "if-none-match": '"old"' }) },
  { name: "the current tag", status: 304, probe: reading("queued", "/status", { "if-none-match": "*" }) },
  { name: "failed", status: 400, probe: reading("failed", "/status") },
  { name: "failed, with a tag", status: 400, probe: reading("failed", "/status", { "if-none-match": "*" }) },
  ...reads("/status")
]

const results: ReadonlyArray<Omit<Case, "route">> = [
  ...(["succeeded", "partial"] as const).map((scenario) => ({
    name: scenario,
    status: 200,
    probe: reading(scenario, "")
  })),
  ...(["queued", "running", "failed", "cancelled"] as const).map((scenario) => ({
    name: scenario,
    status: 400,
    probe: reading(scenario, "")
  })),
  ...(["invalidOutput", "providerFailed"] as const).map((scenario) => ({
    name: scenario,
    status: 422,
    probe: reading(scenario, "")
  })),
  ...reads("")
]

const cases: ReadonlyArray<Case> = [
  ...submits.map((one) => ({ ...one, route: "submit" as const })),
  ...statuses.map((one) => ({ ...one, route: "status" as const })),
  ...results.map((one) => ({ ...one, route: "result" as const }))
]

const check = ({ probe, status }: Pick<Case, "probe" | "status">) =>
  Effect.gen(function* () {
    const { fast } = yield* both(yield* probe)
    assert.strictEqual(fast.status, status)
  })

layer(TwoWays.layer({ queued: () => 1_000_000 }), { excludeTestServices: true })(
  "both ways answer the same",
  (it) => {
    it.effect.each(cases.map((one) => [one.route, one.status, one.name, one] as const))(
      "%s %d: %s",
      ([, , , one]) => check(one)
    )
  }
)

layer(TwoWays.layer({ bodyTimeout: "50 millis" }), { excludeTestServices: true })(
  "both ways answer the same to a slow client",
  (it) => {
    it.effect("submit 408: a body that does not come", () =>
      check({ status: 408, probe: post("{", { "content-length": "100" }) })
    )
  }
)

/** A server whose log can be made to end every read and append of requests in `fault`. */
const faulty = (fault: Effect.Effect<never, EventStoreError>) => {
  let isBroken = false
  const ifBroken = <A, E>(stream: string, effect: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | EventStoreError> =>
      isBroken && stream.startsWith("InferenceRequest-") ? fault : effect
    )
  const server = TwoWays.layer({
    log: (store) => ({
      ...store,
      append: (append) => ifBroken(append.stream, store.append(append)),
      read: (stream, after) => ifBroken(stream, store.read(stream, after))
    })
  })
  return { server, break: Effect.sync(() => void (isBroken = true)) }
}

const faults = [
  [500, Effect.die(new Error("a bug"))],
  [503, Effect.fail(new EventStoreError({ reason: "The disk is full" }))]
] as const

describe("both ways answer the same when the log fails", () => {
  it.live.each(
    faults.flatMap(([status, fault]) => [
      [status, "submit", fault, post(json({ value: 1 }))] as const,
      [status, "status", fault, Effect.map(reading("queued", "/status"), ofUnknown)] as const,
      [status, "result", fault, Effect.map(reading("queued", ""), ofUnknown)] as const
    ])
  )("%d: %s", ([status, , fault, probe]) => {
    const log = faulty(fault)
    return check({ status, probe: Effect.tap(probe, log.break) }).pipe(
      Effect.provide(log.server),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  })
})

describe("what is compared", () => {
  const byFault = { submit: [408, 500, 503], status: [500, 503], result: [500, 503] } as const
  const operations = {
    submit: ["/{ownerName}/{modelName}", "post"],
    status: ["/{ownerName}/{modelName}/requests/{requestId}/status", "get"],
    result: ["/{ownerName}/{modelName}/requests/{requestId}", "get"]
  } as const

  it.each(["submit", "status", "result"] as const)("is every status that %s declares", (route) => {
    const [path, method] = operations[route]
    const declared = Object.keys(OpenApi.fromApi(Api).paths[path]?.[method]?.responses ?? {}).map(Number)
    const compared = cases.filter((one) => one.route === route).map(({ status }) => status)
    assert.isAbove(declared.length, 5)
    assert.sameMembers([...new Set([...compared, ...byFault[route]])], declared)
  })
})

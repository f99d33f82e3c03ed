/** The requests sent to both implementations of the hot routes (`EqualAnswers.test.ts`). */
import { Effect, type Layer } from "effect"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { maxBytes } from "#src/edges/http/requests/JsonBody.ts"
import { type Probe, send } from "#test/support/HttpProbe.ts"
import { openAccount, TestServer } from "#test/support/TestServer.ts"
import * as TwoWays from "#test/support/TwoWays.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { accepted, jsonHeaders } from "./Calls.ts"
import * as GrantedKeys from "./GrantedKeys.ts"
import { modelOf, names, type Scenario, scenarios } from "./Scenarios.ts"

export interface Case {
  readonly route: "submit" | "status" | "result" | "retrieve"
  readonly status: number
  readonly name: string
  readonly probe: Effect.Effect<Probe, unknown, Layer.Success<ReturnType<typeof TwoWays.layer>>>
}

const keyed = <E, R>(probe: Effect.Effect<Probe, E, R>) =>
  Effect.gen(function* () {
    const { key } = yield* TestServer
    const { headers, ...rest } = yield* probe
    return { ...rest, headers: { authorization: key, ...headers } }
  })

export const post = (body: string | Uint8Array, headers: Probe["headers"] = {}, model = "sandbox/echo") =>
  keyed(Effect.succeed({ method: "POST", path: `/${model}`, headers: { ...jsonHeaders, ...headers }, body }))

export const reading = (scenario: Scenario, suffix: string, headers: Probe["headers"] = {}) =>
  keyed(
    Effect.map(scenarios[scenario], (id) => ({
      path: `/${modelOf(scenario)}/requests/${id}${suffix}`,
      headers
    }))
  )

/** By the id alone, without the model in the path. */
export const byId = (probe: Probe): Probe => ({
  ...probe,
  path: probe.path.replace(/^.*(?=\/requests\/)/, "")
})

/** Not in memory, so it is read from the log. */
export const ofUnknown = (probe: Probe): Probe => ({
  ...probe,
  path: probe.path.replace(/rq[\w-]{19}/, unknownId)
})

const otherKey = Effect.gen(function* () {
  const { otherKey } = yield* TestServer
  return { authorization: otherKey }
})

/** Larger than payloads in the log itself. */
const large = { value: "naïve ☃".repeat(inlineLimit) }

const unknownId = "rq0qXk2Ab-0Zp1aB3dE5f"
const refusedKeys = {
  none: {},
  wrong: { authorization: "Key alpha:wrong" },
  bearer: { authorization: "Bearer x" }
}
export const json = (value: unknown) => JSON.stringify(value)

const submitFirst = (probe: Probe) => Effect.flatMap(TwoWays.TwoWays, ({ declared }) => send(declared, probe))

/** From a separate account that has used up its only call per day. */
const exhausted = <E, R>(name: string, probe: Effect.Effect<Probe, E, R>) =>
  Effect.gen(function* () {
    const { headers, ...rest } = yield* probe
    const authorization = yield* openAccount(name)
    yield* GrantedKeys.limit(name, { accountRate: { requests: 1, windowSeconds: 86_400 } })
    yield* submitFirst({ path: "/files", headers: { authorization } })
    return { ...rest, headers: { ...headers, authorization } }
  })

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
  {
    name: "a key under Bearer",
    status: 200,
    probe: Effect.flatMap(TestServer, ({ key }) =>
      post(json({ value: 1 }), { authorization: key.replace("Key", "Bearer") })
    )
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
  {
    name: "an account without money",
    status: 402,
    probe: Effect.flatMap(TestServer, ({ poorKey }) => post(json({ value: 1 }), { authorization: poorKey }))
  },
  {
    name: "a key without the scope",
    status: 403,
    probe: Effect.flatMap(GrantedKeys.issue({ scopes: ["requests:read"] }), (headers) =>
      post(json({ value: 1 }), headers)
    )
  },
  {
    name: "a model that the key is not granted",
    status: 403,
    probe: Effect.flatMap(GrantedKeys.issue({ modelEndpoints: [] }), (headers) => post("{", headers))
  },
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
  },
  {
    name: "calls too often",
    status: 429,
    probe: exhausted("exhausted-submit", post(json({ value: 1 })))
  }
]

/** @param name differs for each route. */
const reads = (suffix: string, name: string): ReadonlyArray<Omit<Case, "route">> => [
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
    name: "a key without the scope",
    status: 403,
    probe: Effect.flatMap(GrantedKeys.issue({ scopes: ["requests:write"] }), (headers) =>
      reading("queued", suffix, headers)
    )
  },
  {
    name: "a model that the key is not granted",
    status: 403,
    probe: Effect.flatMap(GrantedKeys.issue({ modelEndpoints: [] }), (headers) =>
      reading("queued", suffix, headers)
    )
  },
  {
    name: "calls too often",
    status: 429,
    probe: exhausted(`exhausted-${name}`, reading("queued", suffix))
  }
]

const readsOfModel = (suffix: string): ReadonlyArray<Omit<Case, "route">> => [
  {
    name: "a malformed id",
    status: 400,
    probe: keyed(Effect.succeed({ path: `/sandbox/echo/requests/short${suffix}` }))
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
  ...names
    .filter((scenario) => scenario !== "failed")
    .map((scenario) => ({ name: scenario, status: 200, probe: reading(scenario, "/status") })),
  { name: "an old tag", status: 200, probe: reading("queued", "/status", { "if-none-match": '"old"' }) },
  { name: "the current tag", status: 304, probe: reading("queued", "/status", { "if-none-match": "*" }) },
  { name: "failed", status: 400, probe: reading("failed", "/status") },
  { name: "failed, with a tag", status: 400, probe: reading("failed", "/status", { "if-none-match": "*" }) },
  ...readsOfModel("/status"),
  ...reads("/status", "status")
]

const largeResult = {
  name: "an input and an output that are read while they are sent",
  status: 200,
  probe: Effect.flatMap(accepted("sandbox/echo", large), (id) =>
    Effect.andThen(
      Effect.andThen(Lifecycle.start(id, 40), Lifecycle.deliver(id, large)),
      keyed(Effect.succeed({ path: `/sandbox/echo/requests/${id}` }))
    )
  )
}

const results: ReadonlyArray<Omit<Case, "route">> = [
  ...(["succeeded", "partial"] as const).map((scenario) => ({
    name: scenario,
    status: 200,
    probe: reading(scenario, "")
  })),
  largeResult,
  ...(["queued", "running", "failed", "cancelled"] as const).map((scenario) => ({
    name: scenario,
    status: 400,
    probe: reading(scenario, "")
  })),
  { name: "erased", status: 410, probe: reading("erased", "") },
  ...(["invalidOutput", "providerFailed"] as const).map((scenario) => ({
    name: scenario,
    status: 422,
    probe: reading(scenario, "")
  })),
  ...readsOfModel(""),
  ...reads("", "result")
]

const retrieves: ReadonlyArray<Omit<Case, "route">> = [
  ...names.map((scenario) => ({ name: scenario, status: 200, probe: reading(scenario, "") })),
  largeResult,
  ...reads("", "retrieve")
].map((one) => ({ ...one, probe: Effect.map(one.probe, byId) }))

export const cases: ReadonlyArray<Case> = [
  ...submits.map((one) => ({ ...one, route: "submit" as const })),
  ...statuses.map((one) => ({ ...one, route: "status" as const })),
  ...results.map((one) => ({ ...one, route: "result" as const })),
  ...retrieves.map((one) => ({ ...one, route: "retrieve" as const }))
]

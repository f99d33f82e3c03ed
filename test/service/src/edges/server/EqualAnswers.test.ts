/** The hot routes are implemented twice, and clients cannot tell which implementation answered. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, References } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "#src/edges/server/Api.ts"
import { EventStoreError } from "#streams/EventReader.ts"
import { withAppend } from "#streams/EventStore.ts"
import { type Probe, type Reply, send } from "#test/support/HttpProbe.ts"
import * as TwoWays from "#test/support/TwoWays.ts"
import {
  byId,
  type Case,
  cases,
  json,
  ofUnknown,
  post,
  reading
} from "#test/support/src/edges/http/EqualCases.ts"

/** Ids that differ between answers: of the exchange, and of what was created. */
const withoutOwnIds = ({ headers, text }: Reply, created: unknown): string =>
  [headers["x-request-id"], created].reduce<string>(
    (rest, id) => (typeof id === "string" ? rest.replaceAll(id, "<id>") : rest),
    text
  )

/** Header names as spelled and values, in order, without the exchange's id and the time. */
const headersOf = ({ rawHeaders }: Reply): ReadonlyArray<string> =>
  rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1) return []
    return [`${name}: ${name === "Date" || name === "x-request-id" ? "…" : rawHeaders[index + 1]}`]
  })

/** Sends the same request to both implementations, compares the answers, and returns them. */
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
  assert.match(String(fast.headers["x-request-id"]), /^call_[\w-]{21}$/)
  return { declared, fast }
})

const check = ({ probe, status }: Pick<Case, "probe" | "status">) =>
  Effect.gen(function* () {
    const { fast } = yield* both(yield* probe)
    assert.strictEqual(fast.status, status)
  })

layer(TwoWays.layer({ queued: () => 1_000_000 }), { excludeTestServices: true })(
  "both paths answer the same",
  (it) => {
    it.effect.each(cases.map((one) => [one.route, one.status, one.name, one] as const))(
      "%s %d: %s",
      ([, , , one]) => check(one)
    )
  }
)

layer(TwoWays.layer({ bodyTimeout: "50 millis" }), { excludeTestServices: true })(
  "both paths answer the same to a slow client",
  (it) => {
    it.effect("submit 408: a body that does not arrive", () =>
      check({ status: 408, probe: post("{", { "content-length": "100" }) })
    )
  }
)

/** A server whose log can be made to fail all reads and appends of requests with `fault`. */
const faulty = (fault: Effect.Effect<never, EventStoreError>) => {
  let isBroken = false
  const ifBroken = <A, E>(stream: string, effect: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | EventStoreError> =>
      isBroken && stream.startsWith("InferenceRequest-") ? fault : effect
    )
  const server = TwoWays.layer({
    log: (store) => ({
      ...withAppend(store, (append) => ifBroken(append.stream, store.append(append))),
      read: (stream, after) => ifBroken(stream, store.read(stream, after))
    })
  })
  return { server, break: Effect.sync(() => void (isBroken = true)) }
}

const faults = [
  [500, Effect.die(new Error("a bug"))],
  [503, Effect.fail(new EventStoreError({ reason: "The disk is full" }))]
] as const

describe("both paths answer the same when the log fails", () => {
  it.live.each(
    faults.flatMap(([status, fault]) => [
      [status, "submit", fault, post(json({ value: 1 }))] as const,
      [status, "status", fault, Effect.map(reading("queued", "/status"), ofUnknown)] as const,
      [status, "result", fault, Effect.map(reading("queued", ""), ofUnknown)] as const,
      [
        status,
        "retrieve",
        fault,
        Effect.map(reading("queued", ""), (probe) => byId(ofUnknown(probe)))
      ] as const
    ])
  )("%d: %s", ([status, , fault, probe]) => {
    const log = faulty(fault)
    return check({ status, probe: Effect.tap(probe, log.break) }).pipe(
      Effect.provide(log.server),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  })
})

describe("the compared statuses", () => {
  const byFault = {
    submit: [408, 500, 503],
    status: [500, 503],
    result: [500, 503],
    // A malformed id is left to the declared route.
    retrieve: [400, 500, 503]
  } as const
  const operations = {
    submit: ["/{ownerName}/{modelName}", "post"],
    status: ["/{ownerName}/{modelName}/requests/{requestId}/status", "get"],
    result: ["/{ownerName}/{modelName}/requests/{requestId}", "get"],
    retrieve: ["/requests/{requestId}", "get"]
  } as const

  it.each(["submit", "status", "result", "retrieve"] as const)(
    "are all statuses that %s declares",
    (route) => {
      const [path, method] = operations[route]
      const declared = Object.keys(OpenApi.fromApi(Api).paths[path]?.[method]?.responses ?? {}).map(Number)
      const compared = cases.filter((one) => one.route === route).map(({ status }) => status)
      assert.isAbove(declared.length, 5)
      assert.sameMembers([...new Set([...compared, ...byFault[route]])], declared)
    }
  )
})

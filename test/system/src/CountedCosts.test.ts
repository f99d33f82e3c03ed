/**
 * What requests cost, counted and not timed, so that a busy machine changes nothing. `COSTS=1 npm test -- CountedCosts.test.ts`
 * prints the costs: lower a limit when its cost has become less.
 * @cost 2,048 requests, so that commits and pages have the sizes that they have under load.
 */
import { assert, describe, it } from "@effect/vitest"
import { Console, Effect, Schema } from "effect"
import * as RequestText from "#bench/harness/RequestText.ts"
import * as PreloadedLibrary from "#bench/harness/disk/PreloadedLibrary.ts"
import * as T1Submit from "#bench/rows/T1Submit.ts"
import * as CountedServer from "#test/support/counting/CountedServer.ts"
import { authorization } from "#test/support/ServerProcess.ts"

/**
 * What one request may cost while 32 arrive at once; a cost without a limit must not occur. Limits are 15 % above what was
 * measured where the count is the same in each run, else half above it: how many requests share a commit or a batch of the
 * read models depends on how fast the threads are.
 */
const limits = {
  submit: {
    events: 1,
    appends: 1,
    commits: 0.05,
    syncs: 0.055,
    fibers: 0.1,
    "statements, main": 0.1,
    "statements, log": 0.36,
    "statements, read models": 1,
    "kB allocated, main": 46,
    "kB allocated, log": 8,
    "kB allocated, read models": 18
  },
  "whole life": {
    events: 5,
    appends: 3,
    commits: 0.15,
    syncs: 0.16,
    fibers: 0.25,
    "statements, main": 0.25,
    "statements, log": 1.15,
    "statements, read models": 9,
    "kB allocated, main": 80,
    "kB allocated, log": 22,
    "kB allocated, read models": 30
  },
  "status 200": { "kB allocated, main": 14.5 },
  "status 304": { "kB allocated, main": 13.2 },
  result: { "kB allocated, main": 19.2 },
  retrieve: { "kB allocated, main": 22 }
}

/** What a server does now and then on its own, for each request of a measurement. */
const ownWork = (cost: string) => (cost.startsWith("kB") ? 0.5 : 0.02)

type Name = keyof typeof limits

const exceeded = (name: Name, costs: ReadonlyArray<readonly [string, number]>) => {
  const allowed = new Map<string, number>(Object.entries(limits[name]))
  return costs.flatMap(([cost, found]) => {
    const limit = allowed.get(cost) ?? ownWork(cost)
    return found > limit ? [`${cost}: expected at most ${limit}, got ${found.toFixed(3)}`] : []
  })
}

const expectWithin = Effect.fnUntraced(function* (
  server: CountedServer.CountedServer,
  name: Name,
  repeated: CountedServer.Repeated
) {
  const costs = yield* CountedServer.costs(server, repeated)
  if (process.env["COSTS"] !== undefined)
    yield* Console.log(name, Object.fromEntries(costs.map(([cost, found]) => [cost, found.toFixed(3)])))
  assert.deepStrictEqual(exceeded(name, costs), [], name)
})

const echo = JSON.stringify({ value: "x".repeat(288) })
const decodeId = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))

/** A completed request and the ETag of its status. */
const complete = (url: string) =>
  Effect.promise(async () => {
    const headers = { ...authorization, "content-type": "application/json", prefer: "wait=30" }
    const submitted = await fetch(`${url}/sandbox/echo`, { method: "POST", headers, body: echo })
    const { id } = decodeId(await submitted.json())
    const status = await fetch(`${url}/sandbox/echo/requests/${id}/status`, { headers: authorization })
    await status.arrayBuffer()
    return { id, etag: status.headers.get("etag") ?? "" }
  })

describe(
  PreloadedLibrary.isMissing ? "counted without syncs, which need a C compiler, cc" : "counted",
  () => {
    it.live("a submit to a model without room stays within its limits", () =>
      Effect.gen(function* () {
        const server = yield* CountedServer.make(T1Submit.command)
        const request = RequestText.postJson("/bench/queued", T1Submit.body, authorization)
        yield* expectWithin(server, "submit", { request })
      })
    )

    it.live("the whole life of a request, and reads of it, stay within their limits", () =>
      Effect.gen(function* () {
        const server = yield* CountedServer.make(["src/main.ts", "serve"])
        const request = RequestText.postJson("/sandbox/echo", echo, authorization)
        yield* expectWithin(server, "whole life", { request, completes: true })

        const { etag, id } = yield* complete(server.url)
        const ofModel = `/sandbox/echo/requests/${id}`
        const get = (path: string, headers = {}) => RequestText.get(path, { ...authorization, ...headers })
        const status = `${ofModel}/status`
        yield* expectWithin(server, "status 200", { request: get(status) })
        yield* expectWithin(server, "status 304", {
          request: get(status, { "if-none-match": etag }),
          status: 304
        })
        yield* expectWithin(server, "result", { request: get(ofModel) })
        yield* expectWithin(server, "retrieve", { request: get(`/requests/${id}`) })
      })
    )
  }
)

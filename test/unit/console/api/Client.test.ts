/** Where calls of the console go, below the path of a proxy. */
import type * as Client from "#console/api/Client.ts"
import { afterAll, assert, beforeAll, beforeEach, it, vi } from "vitest"

/** Calls as `METHOD /path {body}`. */
const calls: Array<string> = []

const server = async (url: string, { body, method }: { readonly method: string; readonly body?: string }) => {
  calls.push(`${method} ${url}${body === undefined ? "" : ` ${body}`}`)
  return Response.json({})
}

/** A module of its own, because others look for another path in their page. */
const below: string = "../../../../console/api/Client.ts?below"
let client: typeof Client

beforeAll(async () => {
  vi.stubGlobal("document", { querySelector: () => ({ content: "/below/console" }) })
  vi.stubGlobal("fetch", server)
  client = await import(/* @vite-ignore */ below)
})
beforeEach(() => void (calls.length = 0))
afterAll(() => void vi.unstubAllGlobals())

it("fills paths, leaves out what is not given, and repeats the names of lists", async () => {
  await client.call("getRequest", { params: { requestId: "a/b c?" } })
  await client.call("listKeys", { query: { page: "2" } })
  assert.strictEqual(
    client.queryText({ topic: ["a", "b&c"], none: undefined, nothing: null }),
    "?topic=a&topic=b%26c"
  )
  assert.strictEqual(client.queryText({ none: undefined }), "")
  assert.deepStrictEqual(calls, [
    "GET /below/console/api/requests/a%2Fb%20c%3F",
    "GET /below/console/api/keys?page=2"
  ])
})

it("sends fields of administration in the path, and the rest in the query or the body", async () => {
  await client.admin("listKeys", { accountId: "acc_1" } as never)
  await client.admin("rotateWorkerKey", { keyId: "worker_1", graceMs: 5 } as never)
  await client.admin("revokeWorkerKey", { keyId: "worker_1" } as never)
  assert.deepStrictEqual(calls, [
    "GET /below/console/api/admin/v1/keys?accountId=acc_1",
    'POST /below/console/api/admin/v1/worker-keys/worker_1/rotate {"graceMs":5}',
    "DELETE /below/console/api/admin/v1/worker-keys/worker_1"
  ])
})

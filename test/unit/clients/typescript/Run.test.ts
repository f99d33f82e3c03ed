import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Exchanges from "#test/support/clients/typescript/Exchanges.ts"
import {
  InvalidOutputError,
  RequestCancelledError,
  RequestFailedError
} from "#clients/typescript/OutcomeErrors.ts"

let server: Awaited<ReturnType<typeof Exchanges.serve>>
beforeAll(async () => void (server = await Exchanges.serve()))
afterAll(() => server.close())

const id = "rqP6vxXSi--NSpLKABux-"
const created = {
  status: "IN_QUEUE",
  request_id: id,
  status_url: `http://queue.example/acme/writer/requests/${id}/status`
}

/** Answers a token that submits: the request is shown by the routes of its model only. */
const asToToken = (status: string, result: readonly [status: number, body: unknown]) =>
  server.answer(({ method, url = "" }, response) => {
    if (method === "POST") Exchanges.json(response, 200, created)
    else if (url.includes("/status"))
      Exchanges.json(response, status === "FAILED" ? 400 : 200, { ...created, status })
    else if (url.startsWith("/acme/")) Exchanges.json(response, ...result)
    else Exchanges.json(response, 403, { error: "No.", details: { code: "TOKEN_NOT_GRANTED" } })
  })

describe("run of the TypeScript client", () => {
  it("reads the result with a token that opens no request by its id", async () => {
    asToToken("COMPLETED", [200, { id, status: "COMPLETED", outcome: "succeeded", output: { text: "Hi" } }])
    assert.deepEqual(await server.client().run("acme/writer", {}), { text: "Hi" })
  })

  it("throws the outcome to such a token, too", async () => {
    const run = () => Exchanges.rejection(server.client().run("acme/writer", {}))
    asToToken("FAILED", [400, { error: "It broke.", details: { code: "REQUEST_FAILED" } }])
    const failed = await run()
    assert.instanceOf(failed, RequestFailedError)
    assert.deepInclude(failed as RequestFailedError, {
      message: "It broke.",
      code: "REQUEST_FAILED",
      status: 400
    })
    assert.equal((failed as RequestFailedError).request?.modelEndpoint, "acme/writer")
    asToToken("CANCELLED", [400, { error: "Cancelled.", details: { code: "REQUEST_CANCELLED" } }])
    assert.instanceOf(await run(), RequestCancelledError)
    const invalid = { id, status: "COMPLETED", outcome: "invalid_output", output: null, error: "Bad." }
    asToToken("COMPLETED", [422, { ...invalid, details: { code: "INVALID_OUTPUT", validationErrors: [] } }])
    assert.instanceOf(await run(), InvalidOutputError)
  })

  it("cancels the requests of a batch that is left, and reports a failure as an item", async () => {
    const leave = async (key?: string) => {
      const cancelled: Array<string> = []
      server.answer(({ headers, method, url = "" }, response) => {
        if (url.endsWith("/cancel")) {
          cancelled.push(url)
          Exchanges.json(response, 200, { ...created, status: "CANCELLED" })
        } else if (method !== "POST") {
          // Held until the client goes.
        } else if (String(headers["idempotency-key"]).endsWith("-0"))
          Exchanges.json(response, 404, { error: "No such model" })
        else Exchanges.json(response, 200, created)
      })
      const options = { key, concurrency: 2 }
      for await (const item of server.client().batches.run("acme/writer", [{}, {}, {}], options)) {
        assert.equal(item.index, 0)
        assert.equal("error" in item && (item.error as Error).name, "NotFoundError")
        break
      }
      return cancelled
    }
    assert.deepEqual(await leave(), [`/acme/writer/requests/${id}/cancel`])
    // The same call goes on with them.
    assert.deepEqual(await leave("tuesday"), [])
  })
})

import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { unlimited } from "#domain/account/Grant.ts"
import { Origin } from "#domain/account/Origin.ts"
import * as BrowserOrigin from "#src/edges/http/edge/BrowserOrigin.ts"

const app = "https://app.example"

const origins = BrowserOrigin.make({
  baseUrl: "https://platform.example:8443/base",
  queueUrl: "https://queue.example"
})

/** Whether a page of the origin may use a key for pages of `app`, and the origin that may read the answer. */
const judge = (origin: string, host: string) => {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  const grant = { ...unlimited, origins: [Origin.make(app)] }
  const isAdmitted = origins.admits(grant, origin, { headers: { host }, response: () => response })
  assert.strictEqual(response.getHeader("vary"), "Origin")
  assert.isFalse(response.hasHeader("access-control-allow-credentials"))
  return [isAdmitted, response.getHeader("access-control-allow-origin")]
}

describe("the origin of a page", () => {
  it("of the server's own public addresses is admitted behind a proxy, which may change the host", () => {
    for (const origin of ["https://platform.example:8443", "https://queue.example"]) {
      assert.deepStrictEqual(judge(origin, "127.0.0.1:8080"), [true, undefined], origin)
    }
    assert.deepStrictEqual(judge("https://proxied.example", "proxied.example"), [true, undefined])
  })

  it.each([
    "null",
    "",
    "https://platform.example",
    "http://queue.example",
    "https://queue.example:443",
    "https://app.example:8443",
    "https://app.example.evil.example",
    "https://APP.example",
    `${app}/`,
    `${app}, ${app}`
  ])("%j is refused", (origin) => {
    assert.deepStrictEqual(judge(origin, "127.0.0.1:8080"), [false, undefined])
  })

  it("that the key names is admitted, and alone may read", () => {
    assert.deepStrictEqual(judge(app, "127.0.0.1:8080"), [true, app])
  })
})

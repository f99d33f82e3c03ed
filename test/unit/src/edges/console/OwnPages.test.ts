/** Which calls of the console come from pages of this server. */
import { assert, describe, it } from "@effect/vitest"
import * as OwnPages from "#src/edges/console/sessions/OwnPages.ts"

const header = { "x-inferlog-console": "1" }

/** Whether a call to `host` from a page of `origin` is admitted. */
const admits = (addresses: ReadonlyArray<string>) => (host: string, origin: string | undefined) =>
  OwnPages.make(addresses)({ method: "POST", headers: { ...header, host, origin } }) === null

describe("A call of the console", () => {
  it("comes from the public address, with its path or without, or from the address that was called", () => {
    const isOwn = admits(["https://api.example/inferlog"])
    assert.isTrue(isOwn("10.0.0.7:8080", "https://api.example"))
    assert.isTrue(isOwn("10.0.0.7:8080", "http://10.0.0.7:8080"))
    assert.isTrue(isOwn("console.example", "https://console.example"))
    for (const origin of [
      "https://evil.example",
      "https://api.example.evil.example",
      "null",
      "",
      undefined
    ]) {
      assert.isFalse(isOwn("api.example", origin))
    }
  })

  it("does not come from a page without TLS of a server that has it", () => {
    assert.isFalse(admits(["https://api.example"])("api.example", "http://api.example"))
    assert.isTrue(admits(["http://api.example"])("api.example", "http://api.example"))
    // A proxy ends TLS before the server, and BASE_URL was not told.
    assert.isTrue(admits(["http://api.example"])("api.example", "https://api.example"))
  })

  it.each([
    ["same-origin", true],
    ["none", true],
    ["same-site", false],
    ["cross-site", false]
  ])("that reads is admitted with Sec-Fetch-Site: %s: %s", (site, expected) => {
    const judge = OwnPages.make(["https://api.example"])
    const headers = { host: "api.example", "sec-fetch-site": site }
    assert.strictEqual(judge({ method: "GET", headers }) === null, expected)
    assert.strictEqual(judge({ method: "HEAD", headers }) === null, expected)
    // Nobody types a call that writes.
    const write = { ...headers, ...header, origin: "https://api.example" }
    assert.strictEqual(judge({ method: "POST", headers: write }) === null, site === "same-origin")
  })
})

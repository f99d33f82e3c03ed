/**
 * A call without an id would count towards no rate and no limit of concurrent calls, and its cost would not be
 * reported.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import { OAuthClient } from "#test/support/src/edges/oauth/OAuthClient.ts"
import { usd } from "#test/support/TestAccounts.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"

const echo = { modelEndpoint: "sandbox/echo", input: { value: "in" } }
const counted = ToolClient.toolCall(1, "run_model", echo)
const { id: _id, ...uncounted } = counted

layer(TestServer.layer(), { excludeTestServices: true })("a call of run_model without an id", (it) => {
  it.effect("submits nothing and costs nothing, alone or in a batch", () =>
    Effect.gen(function* () {
      const { key, port, urls } = yield* TestServer.TestServer
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const funds = yield* Funds
      const { access_token: token } = yield* Effect.promise(async () =>
        (await OAuthClient.register(urls)).tokens({ api_key: key.replace(/^Key /, ""), decision: "allow" })
      )
      const bearer = { authorization: `Bearer ${token}`, host: new URL(urls.mcpUrl).host }
      const opened = yield* ToolClient.post(port, ToolClient.initialize("2025-03-26"), bearer)
      const headers = { ...bearer, "mcp-session-id": String(opened.headers["mcp-session-id"]) }
      const before = funds.of(accountId).available
      for (const message of [
        uncounted,
        { ...uncounted, id: null },
        Array.from({ length: 20 }, () => uncounted),
        [counted, uncounted]
      ]) {
        const { json, status, text } = yield* ToolClient.post(port, message, headers)
        assert.strictEqual(status, 400, text)
        assert.deepNestedInclude(Object(json), { id: null, "error.code": -32600 })
      }
      const ran = yield* ToolClient.post(port, counted, headers)
      assert.strictEqual(ran.status, 200, ran.text)
      assert.strictEqual(before - funds.of(accountId).available, usd("0.001"))
    })
  )
})

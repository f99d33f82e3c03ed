import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { AuthorizeLimits } from "#src/edges/oauth/routes/Authorize.ts"
import { RegistrationLimits } from "#src/edges/oauth/Registrations.ts"
import * as SignInLimits from "#src/edges/oauth/SignIn.ts"
import * as AttemptLimit from "#src/edges/oauth/AttemptLimit.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"

const rates = {
  ofAddress: { requests: 10, windowSeconds: 3_600 },
  ofHouse: { requests: 100, windowSeconds: 3_600 },
  ofAll: { requests: 1_000, windowSeconds: 3_600 }
}

/** Through a proxy on this machine, which opens the connections. */
const services = TestServer.layer().pipe(
  Layer.provide(Layer.succeed(AuthorizeLimits, { ...rates, authorizations: 1_000 })),
  Layer.provide(Layer.succeed(RegistrationLimits, { ...rates, clients: 1_000 })),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ TRUSTED_PROXIES: "127.0.0.1" })))
)

/** As the proxy forwards it. */
const through = (client: string, { headers, ...call }: Parameters<typeof OAuth.call>[0]) =>
  OAuth.call({ ...call, headers: { ...headers, "x-forwarded-for": client } })

/** The number of calls by status. */
const flood = Effect.fnUntraced(function* (calls: number, call: ReturnType<typeof OAuth.call>) {
  const statuses = (yield* Effect.replicateEffect(call, calls)).map(({ status }) => status)
  return Object.fromEntries(
    [...new Set(statuses)].map((status) => [status, statuses.filter((one) => one === status).length])
  )
})

layer(Layer.fresh(services), { excludeTestServices: true })("behind a trusted proxy", (it) => {
  it.effect("a client that begins too many sign-ins is limited alone, whatever address it claims", () =>
    Effect.gen(function* () {
      const begin = OAuth.authorization((yield* OAuth.registered()).client_id)
      const attacker = "93.184.216.34"
      assert.deepStrictEqual(yield* flood(15, through(attacker, begin)), { 303: 10, 429: 5 })
      assert.strictEqual((yield* through(`8.8.8.8, ${attacker}`, begin)).status, 429)
      assert.strictEqual((yield* through("93.184.216.35", begin)).status, 303)
      assert.strictEqual((yield* through("10.0.0.1", begin)).status, 303)
      assert.strictEqual((yield* OAuth.call(begin)).status, 303)
    })
  )

  it.effect("a client that registers too many clients is limited alone", () =>
    Effect.gen(function* () {
      const attacker = "93.184.216.36"
      assert.deepStrictEqual(yield* flood(15, through(attacker, OAuth.registration())), { 201: 10, 429: 5 })
      assert.strictEqual((yield* through("93.184.216.37", OAuth.registration())).status, 201)
      assert.strictEqual((yield* OAuth.call(OAuth.registration())).status, 201)
    })
  )

  it.effect("a client that tries too many keys is limited alone, until it sends a right one", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered()
      const form = Effect.gen(function* () {
        const { cookies, uid } = yield* OAuth.begun(clientId)
        const path = `/oauth/interaction/${uid}`
        const { text } = yield* OAuth.call({ path, headers: { cookie: cookies } })
        const csrf = /name="csrf" value="([\w-]+)"/.exec(text)?.[1] ?? ""
        const headers = { cookie: cookies, "content-type": "application/x-www-form-urlencoded" }
        return (api_key: string) => ({
          method: "POST",
          path,
          headers,
          body: new URLSearchParams({ csrf, api_key, decision: "allow" }).toString()
        })
      })
      const attacker = "93.184.216.38"
      for (let tried = 0; tried < SignInLimits.ofAddress.requests; tried += AttemptLimit.most) {
        const filledIn = yield* form
        assert.deepStrictEqual(yield* flood(AttemptLimit.most, through(attacker, filledIn("nobody:wrong"))), {
          403: AttemptLimit.most
        })
      }
      const filledIn = yield* form
      const refused = yield* through(attacker, filledIn("nobody:wrong"))
      assert.strictEqual(refused.status, 429)
      assert.isAtMost(Number(refused.headers["retry-after"]), 20)
      assert.strictEqual((yield* through("93.184.216.39", filledIn("nobody:wrong"))).status, 403)
      const allowed = yield* through(attacker, filledIn(key.replace(/^Key /, "")))
      assert.strictEqual(allowed.status, 303)
    })
  )
})

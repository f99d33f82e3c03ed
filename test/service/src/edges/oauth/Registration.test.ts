import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AuthorizeLimits } from "#src/edges/oauth/routes/Authorize.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { RegistrationLimits, Registrations } from "#src/edges/oauth/Registrations.ts"
import { Records } from "#src/edges/oauth/Records.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`
})

layer(TestServer.layer(), { excludeTestServices: true })("registering a client", (it) => {
  it.effect("returns the client's metadata", () =>
    Effect.gen(function* () {
      const reply = yield* OAuth.register({
        redirect_uris: [OAuth.redirectUri],
        client_name: "Acme",
        grant_types: ["authorization_code"],
        scope: "openid"
      })
      assert.strictEqual(reply.status, 201)
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      const { client_id: id, client_id_issued_at: at, ...rest } = Object(reply.json)
      assert.match(id, /^[\w-]{22}$/)
      assert.isAbove(at, 1_700_000_000)
      assert.deepStrictEqual(rest, {
        application_type: "native",
        client_name: "Acme",
        redirect_uris: [OAuth.redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        scope: "mcp",
        token_endpoint_auth_method: "none"
      })
    })
  )

  it.effect.each(["client_secret_basic", "client_secret_post"])(
    "returns a secret for %s, and requires it",
    (method) =>
      Effect.gen(function* () {
        const { key } = yield* TestServer.TestServer
        const { client_id: id, client_secret: secret = "" } = yield* OAuth.registered({
          redirect_uris: [OAuth.redirectUri],
          token_endpoint_auth_method: method
        })
        assert.match(secret, /^[\w-]{43}$/)
        const fields = {
          grant_type: "authorization_code",
          code: yield* OAuth.code(id, key),
          code_verifier: OAuth.verifier,
          redirect_uri: OAuth.redirectUri
        }
        const wrong = yield* OAuth.token(fields, basic(id, "wrong"))
        assert.deepStrictEqual([wrong.status, OAuth.errorOf(wrong)], [401, "invalid_client"])
        assert.match(wrong.headers["www-authenticate"] ?? "", /^Basic /)
        for (const asSecret of [undefined, "wrong", ""]) {
          const reply = yield* OAuth.token({ ...fields, client_id: id, client_secret: asSecret })
          assert.deepStrictEqual([reply.status, OAuth.errorOf(reply)], [401, "invalid_client"])
        }
        OAuth.tokensOf(
          method === "client_secret_basic"
            ? yield* OAuth.token(fields, basic(id, secret))
            : yield* OAuth.token({ ...fields, client_id: id, client_secret: secret })
        )
      })
  )

  it.effect.each([
    { body: "{", type: "application/json", status: 400, said: /must be a JSON object in UTF-8/ },
    { body: "[]", type: "application/json", status: 400, said: /./ },
    { body: "{}", type: "application/json", status: 400, said: /./ },
    {
      body: JSON.stringify({ redirect_uris: [OAuth.redirectUri] }),
      type: "text/plain",
      status: 400,
      said: /^The Content-Type must be application\/json\.$/
    },
    { body: "\xff", type: "application/json", status: 400, said: /must be a JSON object in UTF-8/ },
    { body: `"${"a".repeat(64 * 1024)}"`, type: "application/json", status: 413, said: /./ }
  ])("rejects $type of this kind with $status", ({ body, said, status, type }) =>
    Effect.gen(function* () {
      const headers = { "content-type": type }
      const reply = yield* OAuth.call({ method: "POST", path: "/oauth/register", headers, body })
      assert.strictEqual(reply.status, status)
      assert.isString(OAuth.errorOf(reply))
      assert.match(OAuth.descriptionOf(reply), said)
    })
  )

  it.effect("a body that is too large is rejected by the token endpoint too", () =>
    Effect.gen(function* () {
      const reply = yield* OAuth.token({ grant_type: "a".repeat(64 * 1024) })
      assert.deepStrictEqual([reply.status, OAuth.errorOf(reply)], [413, "invalid_request"])
    })
  )
})

const limits = Layer.succeed(RegistrationLimits, {
  ofAddress: { requests: 2, windowSeconds: 60 },
  ofHouse: { requests: 4, windowSeconds: 60 },
  ofAll: { requests: 6, windowSeconds: 60 },
  clients: 3
})

const alone = Registrations.layer.pipe(
  Layer.provideMerge(Records.layer),
  Layer.provideMerge(OAuthDatabase.layerAt(":memory:")),
  Layer.provide(limits)
)

const registerFrom = (clientAddress: string) =>
  Effect.flatMap(Registrations, ({ register }) =>
    register({ redirect_uris: [OAuth.redirectUri] }, clientAddress)
  )

const isKnown = (id: string) =>
  Effect.flatMap(Records, ({ find }) => Effect.map(find({ model: "Client", id }), (found) => found !== null))

layer(Layer.fresh(alone))("the rate limit of registrations", (it) => {
  it.effect("applies to each address, and to all non-public ones together; rejected calls are free", () =>
    Effect.gen(function* () {
      const one = "93.184.216.34"
      yield* registerFrom(one)
      yield* registerFrom(one)
      const refused = yield* Effect.flip(registerFrom(one))
      assert.deepInclude(refused, { _tag: "TooManyRegistrations", retryAfterSeconds: 30 })
      // A private address may stand for all users.
      yield* Effect.replicateEffect(registerFrom("10.0.0.1"), 4)
      const house = yield* Effect.flip(registerFrom("10.0.0.2"))
      assert.deepInclude(house, { _tag: "TooManyRegistrations", retryAfterSeconds: 15 })
      yield* TestClock.adjust("15 seconds")
      yield* registerFrom("10.0.0.2")
    })
  )
})

layer(Layer.fresh(alone))("the number of clients", (it) => {
  it.effect("is bounded: the oldest unused client is removed first", () =>
    Effect.gen(function* () {
      const { prolong } = yield* Records
      const known: Array<string> = []
      for (let index = 0; index < 3; index++) {
        known.push((yield* registerFrom("")).client_id)
        yield* TestClock.adjust("15 seconds")
      }
      const [used = "", oldest = "", next = ""] = known
      yield* prolong({ model: "Client", id: used }, 180 * 86_400_000)
      yield* registerFrom("")
      assert.deepStrictEqual(yield* Effect.forEach([used, oldest, next], isKnown), [true, false, true])
    })
  )
})

const rarely = { requests: 2, windowSeconds: 60 }
const seldom = Layer.succeed(AuthorizeLimits, {
  ofAddress: rarely,
  ofHouse: rarely,
  ofAll: { requests: 100, windowSeconds: 60 },
  authorizations: 100
})

layer(Layer.fresh(TestServer.layer().pipe(Layer.provide(seldom))))("the rate limit of sign-ins", (it) => {
  it.effect("limits the begun sign-ins, with an error page", () =>
    Effect.gen(function* () {
      const { client_id: clientId } = yield* OAuth.registered()
      yield* OAuth.begun(clientId)
      const visit = yield* OAuth.begun(clientId)
      // The caller claims this itself, because no proxy is trusted.
      const headers = { "x-forwarded-for": "93.184.216.34" }
      const refused = yield* OAuth.call({ ...OAuth.authorization(clientId), headers })
      assert.deepStrictEqual([refused.status, refused.headers["retry-after"]], [429, "30"])
      assert.match(refused.headers["content-type"] ?? "", /^text\/html/)
      // Sign-ins that have begun continue.
      const { key } = yield* TestServer.TestServer
      yield* OAuth.allowed(visit, yield* OAuth.byKey(key))
      yield* TestClock.adjust("30 seconds")
      yield* OAuth.begun(clientId)
    })
  )
})

const often = { requests: 100, windowSeconds: 60 }
const roomForTwo = Layer.succeed(AuthorizeLimits, {
  ofAddress: often,
  ofHouse: often,
  ofAll: often,
  authorizations: 2
})

layer(Layer.fresh(TestServer.layer().pipe(Layer.provide(roomForTwo))))("pending sign-ins", (it) => {
  it.effect("are limited: a new one replaces the oldest", () =>
    Effect.gen(function* () {
      const { client_id: clientId } = yield* OAuth.registered()
      const visits: Array<OAuth.Visit> = []
      for (let index = 0; index < 3; index++) {
        visits.push(yield* OAuth.begun(clientId))
        yield* TestClock.adjust("1 second")
      }
      const found = yield* Effect.forEach(visits, (visit) => Effect.isSuccess(OAuth.pendingOf(visit)))
      assert.deepStrictEqual(found, [false, true, true])
    })
  )

  it.effect("are not removed by rejected requests", () =>
    Effect.gen(function* () {
      const { client_id: clientId } = yield* OAuth.registered()
      yield* OAuth.begun(clientId)
      yield* TestClock.adjust("1 second")
      const visit = yield* OAuth.begun(clientId)
      yield* Effect.replicateEffect(OAuth.authorize("nobody"), 3)
      assert.strictEqual((yield* OAuth.pendingOf(visit)).uid, visit.uid)
    })
  )
})

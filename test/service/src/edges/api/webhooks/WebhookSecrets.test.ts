import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { OpenApi } from "effect/http-api"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { Api } from "#src/edges/server/Api.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call, issuesOf, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"

const path = "/webhooks/default/secret"

const secret = (headers: Readonly<Record<string, string>>) => call({ path, headers })
const rotate = (headers: Readonly<Record<string, string>>, body?: unknown) =>
  call({
    method: "POST",
    path: `${path}/rotate`,
    headers: { ...headers, ...(body !== undefined && jsonHeaders) },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })

const account = (name: string) =>
  Effect.map(TestServer.openAccount(name), (authorization) => ({ authorization }))

const day = 24 * 60 * 60 * 1_000

/** The text of all log lines. */
const logged: Array<string> = []
const capture = Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])

const server = TestServer.layer().pipe(Layer.provideMerge(capture))

layer(server, { excludeTestServices: true })("the signing secret", (it) => {
  it.effect("is created by the first read, then stays, and differs between accounts", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* account("mine"), yield* account("theirs")]
      const first = yield* secret(mine)
      assert.deepStrictEqual([first.status, first.headers["cache-control"]], [200, "no-store"])
      const { key, ...rest } = Object(first.json)
      assert.match(key, /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/)
      assert.deepStrictEqual(rest, {})
      assert.deepStrictEqual((yield* secret(mine)).json, first.json)
      assert.notDeepEqual((yield* secret(theirs)).json, first.json)
    })
  )

  it.effect("is rotated: the new one applies at once, the old one for a day", () =>
    Effect.gen(function* () {
      const headers = yield* account("rotating")
      const before = Object((yield* secret(headers)).json).key
      const earliest = Date.now()
      const reply = yield* rotate(headers)
      assert.deepStrictEqual([reply.status, reply.headers["cache-control"]], [200, "no-store"])
      const { key, previousKeyExpiresAt, ...rest } = Object(reply.json)
      assert.deepStrictEqual(rest, {})
      assert.notStrictEqual(key, before)
      assert.isAtLeast(Date.parse(previousKeyExpiresAt), earliest + day)
      assert.isAtMost(Date.parse(previousKeyExpiresAt), Date.now() + day)
      assert.strictEqual(new Date(previousKeyExpiresAt).toISOString(), previousKeyExpiresAt)
      assert.deepStrictEqual((yield* secret(headers)).json, { key })
    })
  )

  it.effect("that is created by a rotation has no predecessor", () =>
    Effect.gen(function* () {
      const headers = yield* account("new")
      const { key, ...rest } = Object((yield* rotate(headers)).json)
      assert.deepStrictEqual(rest, { previousKeyExpiresAt: null })
      assert.deepStrictEqual((yield* secret(headers)).json, { key })
    })
  )

  it.effect("can be rotated repeatedly, and all predecessors can be dropped at once", () =>
    Effect.gen(function* () {
      const headers = yield* account("often")
      yield* secret(headers)
      for (let count = 1; count <= 12; count++) {
        assert.strictEqual((yield* rotate(headers)).status, 200, `${count}`)
      }
      const reply = yield* rotate(headers, { grace: 0 })
      assert.strictEqual(reply.status, 200)
      const { key, ...rest } = Object(reply.json)
      assert.deepStrictEqual(rest, { previousKeyExpiresAt: null })
      assert.deepStrictEqual((yield* secret(headers)).json, { key })
    })
  )

  it.effect("has the end of its predecessor, after the requested grace", () =>
    Effect.gen(function* () {
      const headers = yield* account("graceful")
      yield* secret(headers)
      const earliest = Date.now()
      const { previousKeyExpiresAt } = Object((yield* rotate(headers, { grace: 60 })).json)
      assert.isAtLeast(Date.parse(previousKeyExpiresAt), earliest + 60_000)
      assert.isAtMost(Date.parse(previousKeyExpiresAt), Date.now() + 60_000)
    })
  )

  it.effect("is not rotated with a grace out of range, or with an unknown field", () =>
    Effect.gen(function* () {
      const headers = yield* account("refused")
      const before = (yield* secret(headers)).json
      for (const body of [
        ...[-1, 86_401, 0.5, "0", null].map((grace) => ({ grace })),
        { gracePeriodSeconds: 0 }
      ]) {
        const reply = yield* rotate(headers, body)
        assertEnvelope(reply, 400)
        assert.deepStrictEqual(
          issuesOf(reply).map(([path]) => path),
          Object.keys(body)
        )
      }
      assert.deepStrictEqual((yield* secret(headers)).json, before)
    })
  )

  it.effect("that cannot be opened is 500 with advice to rotate, and the log has the reason", () =>
    Effect.gen(function* () {
      const headers = yield* account("sealed")
      const otherKey = MasterKey.layerOf(Buffer.alloc(32, 1))
      yield* Effect.flatMap(SigningSecrets, ({ rotate }) =>
        Effect.replicateEffect(rotate(Deliveries.accountOf("sealed"), day), 10, { discard: true })
      ).pipe(Effect.provide(Layer.provide(Layer.fresh(SigningSecrets.layer), otherKey)))
      const reply = yield* secret(headers)
      assertEnvelope(reply, 500)
      assert.deepInclude(reply.json, {
        error: "The signing secret cannot be opened. Rotating makes a new one.",
        details: { code: "SIGNING_SECRETS_UNREADABLE" }
      })
      const lines = logged.filter((line) => line.includes(String(reply.headers["x-request-id"])))
      assert.isTrue(
        lines.some((line) => line.includes("MASTER_KEY") && line.includes('"ERROR"')),
        lines.join()
      )
      assert.strictEqual((yield* rotate(headers)).status, 200)
      assert.strictEqual((yield* secret(headers)).status, 200)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "Info"))
  )

  it("that cannot be opened, and a first one without a predecessor, are declared", () => {
    const { components, paths } = OpenApi.fromApi(Api)
    const unreadable = paths[path]?.get?.responses["500"]?.content?.["application/json"]?.schema
    assert.deepStrictEqual(unreadable, { $ref: "#/components/schemas/Error500" })
    assert.include(JSON.stringify(components.schemas["Error500"]), `{"code":"SIGNING_SECRETS_UNREADABLE"}`)
    assert.include(JSON.stringify(components.schemas["RotatedSigningSecret"]), "null if there is none")
  })

  it.effect("never appears in the log", () =>
    Effect.gen(function* () {
      const headers = yield* account("logged")
      const texts = [Object((yield* secret(headers)).json).key, Object((yield* rotate(headers)).json).key]
      for (const text of texts) assert.isFalse(logged.some((line) => line.includes(text)))
    })
  )
})

/** Sessions of operators in the console, on a port of administration alone. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Redacted } from "effect"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as AdminHttp from "#test/support/src/edges/admin/AdminHttp.ts"
import { quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"
import { assertEnvelope } from "#test/support/src/edges/http/Calls.ts"
import type { Reply } from "#test/support/HttpProbe.ts"
import { Layer } from "effect"
import * as ConsoleBrowser from "#test/support/src/edges/console/ConsoleBrowser.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- each test expects another form
const bodyOf = ({ json }: Reply): any => json

const browser = Effect.map(AdminHttp.AdminUrl, (url) => ConsoleBrowser.make(Number(new URL(url).port)))

const signedIn = Effect.fnUntraced(function* (key: string) {
  const one = yield* browser
  assert.strictEqual((yield* one.signIn({ api_key: key })).status, 200)
  return one
})

const self = (one: ConsoleBrowser.ConsoleBrowser) => one.call({ path: "/console/api/admin/v1/self" })

const works = (one: ConsoleBrowser.ConsoleBrowser) => Effect.map(self(one), ({ status }) => status)

layer(AdminHttp.layer.pipe(Layer.provide(quiet)), { excludeTestServices: true })(
  "A session of an operator",
  (it) => {
    it.effect("acts as the operator in administration, and nowhere else", () =>
      Effect.gen(function* () {
        const { key, operatorId } = yield* AdminHttp.operator("operator")
        const one = yield* browser
        const opened = yield* one.signIn({ api_key: key })
        assert.match(
          one.cookiesOf(opened)[0] ?? "",
          /^inferlog-console-operator=op_[^;]+; .*HttpOnly; SameSite=Strict$/
        )
        const { account, operator, serves } = bodyOf(opened)
        assert.isNull(account)
        assert.deepInclude(operator, { id: operatorId, name: "operator", role: "operator", kind: "key" })
        assert.deepStrictEqual(serves, { account: false, operator: true })
        assert.deepInclude(bodyOf(yield* self(one)), { id: operatorId, role: "operator" })
        // Of owners.
        const created = yield* one.call({
          method: "POST",
          path: "/console/api/admin/v1/operators",
          json: { name: "another", role: "viewer", expiresAt: null }
        })
        assertEnvelope(created, 403)
        assert.strictEqual(bodyOf(created).details.code, "ROLE_REQUIRED")

        assertEnvelope(yield* one.call({ path: "/admin/v1/self" }), 401)
        assertEnvelope(yield* one.call({ path: "/console/api/requests" }), 404)
        const [token = ""] = Array.from(one.jar.values(), decodeURIComponent)
        const asKey = yield* one.call({ path: "/admin/v1/self", headers: { authorization: `Key ${token}` } })
        assertEnvelope(asKey, 401)
        const foreign = yield* one.call({
          method: "POST",
          path: "/console/api/admin/v1/operators",
          json: {},
          page: { origin: "https://evil.test", "x-inferlog-console": "1" }
        })
        assert.strictEqual(bodyOf(foreign).details.code, "FOREIGN_ORIGIN")
        const ofAccount = yield* one.signIn({ api_key: "key_0123456789abcdef_aB3dE5gH:secret" })
        assert.deepStrictEqual([ofAccount.status, bodyOf(ofAccount).details.code], [403, "NOT_SERVED_HERE"])
      })
    )

    it.effect("follows the operator's role, and ends with the key", () =>
      Effect.gen(function* () {
        const { changeRole, revokeOperator, rotateOperator } = yield* Administration
        const { key, operatorId } = yield* AdminHttp.operator("viewer")
        const one = yield* signedIn(key)
        yield* changeRole({ operatorId, role: "auditor" } as never)
        assert.strictEqual(bodyOf(yield* self(one)).role, "auditor")
        const rotated = (yield* rotateOperator({ operatorId } as never)) as {
          readonly key: Redacted.Redacted
        }
        assert.strictEqual(yield* works(one), 401)
        assertEnvelope(yield* one.signIn({ api_key: key }), 401)
        assert.isDefined(rotated)

        const second = yield* AdminHttp.operator("viewer")
        const two = yield* signedIn(second.key)
        assert.strictEqual(yield* works(two), 200)
        yield* revokeOperator({ operatorId: second.operatorId } as never)
        assert.strictEqual(yield* works(two), 401)
        assert.isNull(bodyOf(yield* two.call({ path: "/console/session" })).operator)
        assert.lengthOf(two.jar, 0)
      })
    )

    it.effect("is listed and ended, on the record", () =>
      Effect.gen(function* () {
        const { listActions } = yield* Administration
        const { key, operatorId } = yield* AdminHttp.operator("viewer")
        const [one, two, three] = [yield* signedIn(key), yield* signedIn(key), yield* signedIn(key)]
        const { operator: listed } = bodyOf(yield* one.call({ path: "/console/session/all" }))
        assert.deepStrictEqual(
          listed.map(({ by, current }: { by: string; current: boolean }) => [by, current]),
          [
            ["operator_key", false],
            ["operator_key", false],
            ["operator_key", true]
          ]
        )
        const { sessionId } = listed[0]
        const path = `/console/session/${sessionId}?kind=operator`
        assert.strictEqual((yield* one.call({ method: "DELETE", path })).status, 204)
        assert.deepStrictEqual([yield* works(one), yield* works(two), yield* works(three)], [200, 200, 401])
        yield* one.call({ method: "DELETE", path: "/console/session/all?kind=operator" })
        assert.deepStrictEqual([yield* works(one), yield* works(two)], [200, 401])
        const out = yield* one.call({ method: "DELETE", path: "/console/session" })
        assert.isNull(bodyOf(out).operator)
        assert.lengthOf(one.jar, 0)

        const { data } = yield* listActions({ after: null })
        assert.deepStrictEqual(
          data.filter((action) => action.operatorId === operatorId).map(({ action }) => action),
          ["signOut", "endSessions", "endSession", "signIn", "signIn", "signIn"]
        )
      })
    )

    it.effect("is refused after too many wrong keys from an address, but a right key always passes", () =>
      Effect.gen(function* () {
        const { key } = yield* AdminHttp.operator("viewer")
        const one = yield* browser
        const statuses: Array<number> = []
        for (let tries = 0; tries < 12; tries++) {
          statuses.push((yield* one.signIn({ api_key: `${key}x` })).status)
        }
        assert.deepStrictEqual([statuses[0], statuses.at(-1)], [401, 429])
        assert.strictEqual((yield* one.signIn({ api_key: key })).status, 200)
      })
    )
  }
)

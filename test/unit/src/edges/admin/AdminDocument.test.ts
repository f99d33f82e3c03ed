/** The OpenAPI document of administration lists every route, and answers have the forms that it declares. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "#src/edges/server/Api.ts"
import * as AdminApi from "#src/edges/admin/AdminApi.ts"
import * as AdminDocument from "#src/edges/server/admin/AdminDocument.ts"
import * as OpenApiDocument from "#src/edges/server/system/OpenApiDocument.ts"
import * as DeclaredSchemas from "#test/support/src/edges/http/DeclaredSchemas.ts"
import { type Answer, call, layer as served, operator } from "#test/support/src/edges/admin/AdminHttp.ts"
import { quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

const document = OpenApi.fromApi(AdminDocument.api)
const host = "http://127.0.0.1"

/** As clients receive it, which lets answers gain fields. */
const { components } = OpenApiDocument.ofRoutes(AdminDocument.api, {
  queueUrl: host,
  baseUrl: host,
  mediaUrl: host,
  mcpUrl: host
})
const schemas = DeclaredSchemas.of({
  ...document,
  components: { ...document.components, schemas: components.schemas }
})

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(Object(item)).map(([method, operation]) => ({ method, path, ...Object(operation) }))
)

const assertDeclared = (operationId: string, { json, status, text }: Answer): void => {
  const operation = operations.find((candidate) => candidate.operationId === operationId)
  const response = operation?.responses[status]
  assert.isDefined(response, `${operationId} declares no ${status}: ${text}`)
  const schema = response.content?.["application/json"]?.schema
  if (schema === undefined) return assert.strictEqual(text, "")
  assert.isNull(schemas.breach(schema, json), text)
}

describe("The document of administration", () => {
  it("lists every operation, and nothing of it is in the public one", () => {
    const listed = operations.map(({ operationId }) => operationId)
    assert.sameMembers(listed, [
      ...AdminApi.operations.map(({ name }) => name),
      "readLog",
      "proveBalance",
      "downloadJournal",
      "live",
      "followServerLog",
      "verifyLog",
      "countLog",
      "auditBooks",
      "verifyProjections",
      "rebuildProjections",
      "getAdminOpenApi",
      "beginOperatorSignIn",
      "finishOperatorSignIn",
      "takeOperatorSession",
      "showOperatorSession",
      "operatorSignOut"
    ])
    const paths = Object.keys(OpenApi.fromApi(Api).paths)
    assert.deepStrictEqual(
      paths.filter((path) => path.startsWith("/admin")),
      []
    )
  })

  it.each(operations)("describes $method $path", ({ description, parameters, path, responses, summary }) => {
    assert.isNotEmpty(summary)
    assert.isNotEmpty(description)
    const declared = parameters
      .filter((parameter: { in: string }) => parameter.in === "path")
      .map(({ name }: { name: string }) => `{${name}}`)
    assert.sameMembers(path.match(/\{\w+\}/g) ?? [], declared)
    for (const response of Object.values(responses)) assert.isNotEmpty(Object(response).description)
  })
})

layer(Layer.provide(served, quiet))("Answers of administration", (it) => {
  it.effect("have the declared forms", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("owner")
      const check = Effect.fnUntraced(function* (operationId: string, path: string, sent: object = {}) {
        const answer = yield* call(`/admin/v1${path}`, { ...sent, key })
        assertDeclared(operationId, answer)
        return answer.json
      })
      const post = (body: object) => ({ method: "POST", body })
      const account = yield* check("openAccount", "/accounts", post({ name: "acme", balance: "2" }))
      const path = `/accounts/${account.accountId}`
      yield* check("topUp", `${path}/payments`, post({ amount: "0.5", paymentId: "p" }))
      yield* check("showBalance", `${path}/balance`)
      yield* check("showLimits", `${path}/limits`)
      yield* check("changeLimits", `${path}/limits`, { method: "PATCH", body: { maxOpenRequests: 3 } })
      yield* check("setPassword", `${path}/password`, { method: "PUT", body: { password: null } })
      const made = yield* check("issueKey", `${path}/keys`, post({ name: "ci" }))
      yield* check("rotateKey", `/keys/${made.keyId}/rotate`, post({}))
      yield* check("revokeKey", `/keys/${made.keyId}`, { method: "DELETE" })
      yield* check("listKeys", "/keys")
      yield* check("listAccounts", "/accounts")
      const worker = yield* check("issueWorkerKey", "/worker-keys", post({ name: "gpu" }))
      yield* check("rotateWorkerKey", `/worker-keys/${worker.keyId}/rotate`, post({ graceMs: 1_000 }))
      yield* check("listWorkerKeys", "/worker-keys")
      yield* check("revokeWorkerKey", `/worker-keys/${worker.keyId}`, { method: "DELETE" })
      yield* check("listRequests", "/requests")
      yield* check("showRequest", "/requests/rq000000000000000000_")
      yield* check("listItems", "/catalog")
      yield* check("showItem", "/catalog/item?name=acme/none")
      yield* check("deprecateItem", "/catalog/deprecate", post({ name: "acme/none" }))
      yield* check("listProjections", "/projections")
      yield* check("listOperators", "/operators")
      yield* check("listActions", "/actions")
      yield* check("listProofs", "/log/proofs")
      yield* check("eraseAccount", `${path}/erase`, post({}))
      yield* check("showSelf", "/self")
    })
  )

  it.effect("include the document, without a key", () =>
    Effect.gen(function* () {
      const { json, status } = yield* call("/admin/v1/openapi.json")
      assert.strictEqual(status, 200)
      assert.property(json.paths, "/admin/v1/accounts")
      assert.notProperty(json, "webhooks")
      assert.strictEqual((yield* call("/sandbox/echo", { method: "POST", body: {} })).status, 404)
    })
  )
})

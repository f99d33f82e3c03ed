import { assert, describe, it, layer } from "@effect/vitest"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "#src/edges/server/Api.ts"
import * as OpenApiDocument from "#src/edges/server/system/OpenApiDocument.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import type { Reply } from "#test/support/HttpProbe.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, call, jsonHeaders, submit } from "#test/support/src/edges/http/Calls.ts"
import * as DeclaredSchemas from "#test/support/src/edges/http/DeclaredSchemas.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"
import * as Keys from "#test/support/src/edges/http/KeyCalls.ts"
import { modelOf, names, scenarios } from "#test/support/src/edges/http/Scenarios.ts"
import * as MediaServices from "#test/support/MediaServices.ts"

const document = OpenApi.fromApi(Api)
const operationsOf = ({ paths }: { readonly paths: object }) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(Object(item)).map(([method, operation]) => ({ method, path, ...Object(operation) }))
  )
const operations = operationsOf(document)

const host = "http://127.0.0.1"
/** As clients receive them. */
const served = operationsOf(
  OpenApiDocument.make(Api, { queueUrl: host, baseUrl: host, mediaUrl: host, mcpUrl: host })
)

const schemas = DeclaredSchemas.of(document)

/** Expects an answer that the operation declares, with a body of the declared form. */
const assertDeclared = (operationId: string, reply: Reply): void => {
  const operation = operations.find((candidate) => candidate.operationId === operationId)
  const response = operation?.responses[reply.status]
  assert.isDefined(response, `${operationId} declares no ${reply.status}: ${reply.text}`)
  const schema = response.content?.["application/json"]?.schema
  if (schema === undefined) return assert.strictEqual(reply.text, "")
  assert.isNull(schemas.breach(schema, reply.json), reply.text)
}

describe("the OpenAPI document", () => {
  it("is version 3.1, of the release", () => {
    assert.match(document.openapi, /^3\.1\./)
    assert.strictEqual(document.info.version, version)
  })

  it.each(operations)(
    "describes $method $path",
    ({ description, operationId, parameters, path, responses, summary }) => {
      assert.match(operationId, /^[a-z][A-Za-z]+$/)
      assert.isNotEmpty(summary)
      assert.isNotEmpty(description)
      const declared = parameters
        .filter((parameter: { in: string }) => parameter.in === "path")
        .map(({ name }: { name: string }) => `{${name}}`)
      assert.deepStrictEqual(path.match(/\{\w+\}/g) ?? [], declared)
      assert.property(responses, "500")
      for (const response of Object.values(responses)) assert.isNotEmpty(Object(response).description)
    }
  )

  it("has examples that are valid under their schemas", () => {
    assert.isAtLeast(schemas.examples.length, 30)
    for (const { example, name, schema } of schemas.examples) {
      assert.isNull(schemas.breach(schema, example), name)
    }
  })

  it("has the forms of query parameters", () => {
    const { parameters } = served.find(({ operationId }) => operationId === "listDeliveries") ?? {}
    const schemas = new Map<string, object>(
      parameters.map(({ name, schema }: { name: string; schema: object }) => [name, schema])
    )
    assert.deepInclude(schemas.get("page"), { type: "integer", minimum: 1, default: 1 })
    assert.deepInclude(schemas.get("limit"), { type: "integer", minimum: 1, maximum: 100, default: 10 })
    assert.deepInclude(schemas.get("status"), { enum: ["pending", "delivering", "delivered", "failed"] })
    assert.deepInclude(schemas.get("event"), { enum: ["start", "completed"] })
  })

  it("requires the query of a part, and has its form", () => {
    const { parameters } = served.find(({ operationId }) => operationId === "getPartUrl") ?? {}
    assert.deepStrictEqual(
      parameters.map(({ name, required }: Record<string, unknown>) => [name, required]),
      ["uploadKey", "uploadId", "partNumber"].map((name) => [name, true])
    )
    assert.deepInclude(parameters[2].schema, { type: "integer", minimum: 1, maximum: 10_000 })
  })

  it("allows bytes of any type for a media URL", () => {
    const { requestBody, responses } = operations.find(({ operationId }) => operationId === "putFile") ?? {}
    assert.deepInclude(requestBody, { required: true })
    assert.deepStrictEqual(Object.keys(requestBody.content), ["*/*"])
    assert.property(responses["200"].headers, "etag")
    const errorAnswers = ["400", "403", "404", "408", "409", "410", "411", "413", "415", "503", "507"]
    assert.containsAllKeys(responses, errorAnswers)
  })

  it("has stored bytes of any type, with their headers", () => {
    const { parameters, responses } = operations.find(({ operationId }) => operationId === "getFile") ?? {}
    const binary = { "*/*": { schema: { type: "string", format: "binary" } } }
    const headers = [
      "etag",
      "accept-ranges",
      "cache-control",
      "content-disposition",
      "content-security-policy"
    ]
    for (const status of [200, 206]) assert.deepStrictEqual(responses[status].content, binary)
    assert.hasAllKeys(responses[200].headers, headers)
    assert.hasAllKeys(responses[206].headers, [...headers, "content-range"])
    assert.hasAllKeys(responses[304].headers, headers)
    assert.property(responses, "412")
    assert.includeMembers(
      parameters.map(({ name }: { name: string }) => name),
      ["range", "if-range", "if-match", "if-none-match"]
    )
  })

  it("has billing events as JSON and as CSV", () => {
    const { responses } = operations.find(({ operationId }) => operationId === "listBillingEvents") ?? {}
    assert.hasAllKeys(responses[200].content, ["application/json", "text/csv; charset=utf-8; header=present"])
    assert.hasAllKeys(responses[200].headers, ["vary"])
  })

  it("contains only standard constructs", () => {
    assert.notInclude(JSON.stringify(document), "x-effect")
  })

  it("has the length and form of an upload's fields", () => {
    const { CompleteBody, UploadBody } = document.components.schemas
    const { content_type, file_name, size } = Object(UploadBody).properties
    assert.deepInclude(file_name, { minLength: 1, maxLength: 1024 })
    assert.deepInclude(content_type, { maxLength: 1024 })
    const type = new RegExp(content_type.pattern, "u")
    assert.isTrue(type.test("text/plain; charset=utf-8"))
    assert.isFalse(type.test("text"))
    assert.match(size.description, /5368709120 .*53687091200000 /)
    assert.isNull(schemas.breach(size, null))
    const { uploadId, uploadKey } = Object(CompleteBody).properties
    const query = served.find(({ operationId }) => operationId === "listParts")?.parameters
    for (const schema of [uploadId, uploadKey, query[0].schema, query[1].schema]) {
      assert.deepInclude(schema, { minLength: 1, maxLength: 2048 })
    }
  })

  it("has the forms of the filters of files", () => {
    const { parameters } = served.find(({ operationId }) => operationId === "listFiles") ?? {}
    const patternOf = (name: string) =>
      new RegExp(
        parameters.find((parameter: { name: string }) => parameter.name === name).schema.pattern,
        "u"
      )
    assert.isTrue(patternOf("contentType").test("image/*"))
    assert.isFalse(patternOf("contentType").test("image"))
    assert.isTrue(patternOf("requestId").test("rq0000000000000000000"))
    assert.isFalse(patternOf("requestId").test("rq"))
  })

  it("requires the key on account routes only", () => {
    for (const { operationId, security, tags } of operations) {
      const isOfAccount = ![
        "Callbacks",
        "Catalog",
        "Compute",
        "Console",
        "Authorization",
        "Media",
        "OAuth",
        "Pricing",
        "Replicate catalog",
        "Sign-in",
        "System",
        "Tools",
        "Uploads of fal's client",
        "Workers"
      ].includes(tags[0])
      const ofOthers =
        tags[0] === "Workers" ? [{ workerKey: [] }] : tags[0] === "Tools" ? [{ accessToken: [] }] : []
      assert.deepStrictEqual(security, isOfAccount ? [{ apiKey: [] }, { bearer: [] }] : ofOthers, operationId)
    }
    assert.deepInclude(document.components.securitySchemes["apiKey"], { in: "header", name: "Authorization" })
    assert.deepInclude(document.components.securitySchemes["bearer"], { type: "http", scheme: "bearer" })
  })
})

const serving = TestServer.layer().pipe(Layer.provideMerge(SkippedTime.layer))

layer(serving, { excludeTestServices: true })("answers are as declared", (it) => {
  it.effect("the document is served", () =>
    Effect.gen(function* () {
      const { json, status } = yield* call({ path: "/openapi.json" })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(Object.keys(Object(json).paths), Object.keys(document.paths))
    })
  )

  it.effect.each(names)("for a request that is %s", (scenario) =>
    Effect.gen(function* () {
      const id = yield* scenarios[scenario]
      const path = `/${modelOf(scenario)}/requests/${id}`
      assertDeclared("getRequestStatus", yield* call({ path: `${path}/status` }))
      assertDeclared("getRequestResult", yield* call({ path }))
      assertDeclared("getRequest", yield* call({ path: `/requests/${id}` }))
      assertDeclared("cancelRequest", yield* call({ path: `${path}/cancel` }))
      const erase = { method: "DELETE", path: `/requests/${id}/payloads` }
      assertDeclared("eraseRequestPayloads", yield* call(erase))
    }).pipe(SkippedTime.passing("20 millis"))
  )

  it.effect("for a submit, accepted or rejected", () =>
    Effect.gen(function* () {
      const key = { "idempotency-key": "declared" }
      const elsewhere = { method: "POST", path: "/sandbox/none", headers: jsonHeaders, body: "{}" }
      assertDeclared("submitRequest", yield* submit({ value: 1 }, key))
      assertDeclared("submitRequest", yield* submit({ value: 2 }, key))
      assertDeclared("submitRequest", yield* submit({}))
      assertDeclared("submitRequest", yield* submit({ value: 1 }, { authorization: "Key x:y" }))
      assertDeclared("submitRequest", yield* submit({ value: 1 }, { "content-type": "text/plain" }))
      assertDeclared("submitRequest", yield* call(elsewhere))
    })
  )

  it.effect("for keys, and invalid calls about them", () =>
    Effect.gen(function* () {
      const created = yield* Keys.create({}, { name: "declared", monthlyBudget: "5" })
      const { id } = Object(created.json)
      assertDeclared("createKey", created)
      assertDeclared("createKey", yield* Keys.create({}, {}))
      const limited = Keys.headersOf(yield* Keys.created({}, { scopes: ["keys:admin"] }))
      assertDeclared("createKey", yield* Keys.create(limited, { name: "a", scopes: ["billing:read"] }))
      assertDeclared("listKeys", yield* Keys.list({}))
      assertDeclared("listKeys", yield* Keys.list({}, "?limit=0"))
      assertDeclared("rotateKey", yield* Keys.rotate({}, id))
      assertDeclared("rotateKey", yield* Keys.rotate({}, id, { gracePeriodSeconds: 0 }))
      assertDeclared("revokeKey", yield* Keys.revoke({}, id))
      assertDeclared("rotateKey", yield* Keys.rotate({}, id))
      for (const key of [id, "beta", "nobody"]) {
        assertDeclared("getKey", yield* Keys.get({}, key))
        assertDeclared("revokeKey", yield* Keys.revoke({}, key))
      }
    })
  )

  it.effect("for deliveries in every state, and unknown ones", () =>
    Effect.gen(function* () {
      const makes = [
        Deliveries.pending,
        Deliveries.delivering,
        Deliveries.delivered,
        Deliveries.failed,
        Deliveries.waiting,
        Deliveries.erased
      ]
      const ids = yield* Effect.forEach(makes, (make) => make())
      const others = yield* Deliveries.failed({ account: "beta" })
      for (const id of [...ids, others, "none"]) {
        assertDeclared("getDelivery", yield* Deliveries.get(id))
        assertDeclared("replayDelivery", yield* Deliveries.replay(id))
      }
      for (const query of ["", "?limit=1", "?page=9", "?page=0", "?status=x"]) {
        assertDeclared("listDeliveries", yield* Deliveries.list(query))
      }
      const recover = { method: "POST", path: "/webhooks/deliveries/recover", headers: jsonHeaders }
      for (const since of ["2026-01-05T12:00:00Z", "never"]) {
        assertDeclared("recoverDeliveries", yield* call({ ...recover, body: JSON.stringify({ since }) }))
      }
      assertDeclared("recoverDeliveries", yield* call({ ...recover, headers: {} }))
    })
  )

  it.effect("for the account's money, and invalid queries of it", () =>
    Effect.gen(function* () {
      const requestId = yield* accepted()
      const { otherKey: authorization } = yield* TestServer.TestServer
      const billed = `/billing/events?requestId=${requestId}`
      assertDeclared("getBalance", yield* call({ path: "/account/balance" }))
      for (const query of ["", "?granularity=hour", "?granularity=week"]) {
        assertDeclared("getUsage", yield* call({ path: `/usage${query}` }))
      }
      for (const path of [billed, "/billing/events?limit=1", "/billing/events?type=x"]) {
        assertDeclared("listBillingEvents", yield* call({ path }))
      }
      assertDeclared("listBillingEvents", yield* call({ path: billed, headers: { authorization } }))
    })
  )

  it.effect("for public reads of the catalog", () =>
    Effect.gen(function* () {
      const reads = [
        ["listModels", "/models", "/models?search=echo", "/models?limit=0"],
        ["getModel", "/models/sandbox/echo", "/models/sandbox/none"],
        ["getModelSchema", "/models/vision/resize/schema", "/models/sandbox/none/schema"],
        ["listWrappers", "/wrappers", "/wrappers?status=x"],
        ["getWrapper", "/wrappers/sandbox/none"],
        ["listCollections", "/collections", "/collections?page=0"],
        ["getCollection", "/collections/none"],
        ["searchCatalog", "/search?query=picture", "/search"],
        ["listPrices", "/pricing", "/pricing?modelEndpoint=x"],
        ["listGpus", "/gpus", "/gpus?limit=x"],
        ["listDeploymentTemplates", "/deployment-templates"],
        ["getDeploymentTemplate", "/deployment-templates/none"]
      ] as const
      for (const [operationId, ...paths] of reads) {
        for (const path of paths) {
          const reply = yield* call({ path })
          assertDeclared(operationId, reply)
          const headers = { "if-none-match": reply.headers.etag ?? "" }
          assertDeclared(operationId, yield* call({ path, headers }))
        }
      }
      const estimate = { method: "POST", path: "/pricing/estimate", headers: jsonHeaders }
      for (const modelEndpoint of ["sandbox/echo", "sandbox/slow", "sandbox/none", ""]) {
        const body = JSON.stringify({ modelEndpoint, input: { value: 1 } })
        assertDeclared("estimatePrice", yield* call({ ...estimate, body }))
      }
    })
  )

  it.effect("for the signing secret, with a valid and an invalid grace", () =>
    Effect.gen(function* () {
      const path = "/webhooks/default/secret"
      assertDeclared("getSigningSecret", yield* call({ path }))
      for (const [body, status] of [
        ["{}", 200],
        ['{"grace":0}', 200],
        ['{"grace":-1}', 400]
      ] as const) {
        const reply = yield* call({ method: "POST", path: `${path}/rotate`, headers: jsonHeaders, body })
        assertDeclared("rotateSigningSecret", reply)
        assert.strictEqual(reply.status, status)
      }
    })
  )

  it.effect("for uploads and files in every state, and unknown ones", () =>
    Effect.gen(function* () {
      const { otherKey: authorization } = yield* TestServer.TestServer
      const huge = { ...FileCalls.cat, size: 2 ** 50 }
      for (const body of [FileCalls.cat, {}, huge]) {
        assertDeclared("initiateUpload", yield* FileCalls.postInitiate(body))
        assertDeclared("initiateMultipartUpload", yield* FileCalls.postMultipart(body))
      }
      const upload = yield* FileCalls.initiateMultipart()
      const part = yield* FileCalls.putPart(upload, 1, "a")
      const callers: ReadonlyArray<Readonly<Record<string, string>>> = [{}, { authorization }]
      const uploads = [upload, { ...upload, uploadId: "none" }]
      const ask = Effect.gen(function* () {
        for (const headers of callers) {
          for (const asked of uploads) {
            assertDeclared("getPartUrl", yield* FileCalls.getPartUrl(asked, 1, headers))
            assertDeclared("listParts", yield* FileCalls.listParts(asked, headers))
            for (const parts of [[{ ...part, etag: "x" }], [part], []]) {
              assertDeclared("completeUpload", yield* FileCalls.complete(asked, parts, headers))
            }
          }
          const id = FileCalls.idOf(upload.fileUrl)
          for (const path of [`/files/${id}`, "/files/none"]) {
            assertDeclared("getFileRecord", yield* call({ path, headers }))
          }
          for (const query of ["", "?limit=1", "?page=9", "?page=0", "?source=x"]) {
            assertDeclared("listFiles", yield* call({ path: `/files${query}`, headers }))
          }
        }
      })
      yield* ask
      yield* ask
      for (const headers of callers.toReversed()) {
        const path = `/files/${FileCalls.idOf(upload.fileUrl)}`
        assertDeclared("deleteFile", yield* call({ method: "DELETE", path, headers }))
      }
      yield* ask
      const { file_url, upload_url } = yield* FileCalls.initiate({ ...FileCalls.cat, size: 1 })
      for (const url of [file_url, upload_url]) {
        for (const bytes of ["", "ab", "a", "b"]) assertDeclared("putFile", yield* FileCalls.put(url, bytes))
        assertDeclared("putFile", yield* FileCalls.put(url, "a", {}))
      }
      assertDeclared("getFile", yield* FileCalls.get(file_url, { range: "bytes=5-" }))
      assertDeclared("getFile", yield* FileCalls.get(file_url, { "if-match": '"other"' }))
    })
  )

  it.effect("for a key without the scope, and for unknown resources", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const path = `/requests/${yield* accepted()}`
      assertDeclared("getRequest", yield* call({ path, headers: { authorization: otherKey } }))
      assertDeclared("getRequest", yield* call({ path: "/requests/rq0000000000000000000" }))
      assertDeclared("getFile", yield* call({ path: "/media/none/none" }))
      const store = yield* MediaStore
      const { id } = yield* store.put({
        ...MediaServices.made,
        fileName: "a",
        contentType: "image/png",
        body: Buffer.from("a")
      })
      yield* store.remove(id, "requested")
      assertDeclared("getFile", yield* call({ path: `/media/${id}/a` }))
      assertDeclared("getHealth", yield* call({ path: "/health" }))
    })
  )
})

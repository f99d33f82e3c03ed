/** The webhooks in the document: bodies have the declared form in every reported state. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import { KeyId, type RequestId } from "#domain/Ids.ts"
import { Api } from "#src/edges/server/Api.ts"
import * as OpenApiDocument from "#src/edges/server/system/OpenApiDocument.ts"
import { WebhookEvents } from "#src/edges/api/webhooks/WebhookEvents.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as DeliveryBody from "#src/features/webhooks/DeliveryBody.ts"
import * as Callers from "#test/support/Callers.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call } from "#test/support/src/edges/http/Calls.ts"
import * as DeclaredSchemas from "#test/support/src/edges/http/DeclaredSchemas.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"
import { names, scenarios } from "#test/support/src/edges/http/Scenarios.ts"

const urls = PublicUrls.of({
  queueUrl: "https://queue.test",
  baseUrl: "https://base.test",
  mediaUrl: "https://media.test",
  mcpUrl: "https://mcp.test"
})
const document = OpenApiDocument.make(Api, urls)

/** Without allowed additions: a body has only declared fields. */
const declared = OpenApi.fromApi(WebhookEvents)
const schemas = DeclaredSchemas.of(declared)

const caller = Callers.of(Deliveries.accountOf("alpha"), KeyId.make("alpha"))

const operation = (event: WebhookEventName) => Object(document.webhooks[event]?.post)

const bodyOf = Effect.fnUntraced(function* (id: RequestId, event: WebhookEventName) {
  const requests = yield* Requests
  const snapshot = yield* requests.get({ caller, id })
  const { input, output } = yield* requests.payloads(snapshot)
  return DeliveryBody.make(urls, event, snapshot, { input, output })
})

const assertDeclared = Effect.fnUntraced(function* (id: RequestId, event: WebhookEventName) {
  const body = yield* bodyOf(id, event)
  const { schema } = operation(event).requestBody.content["application/json"]
  assert.isNull(schemas.breach(schema, body), JSON.stringify(body))
})

describe("the webhooks of the OpenAPI document", () => {
  it("are a POST for each event, with the three headers and any 2xx as answer", () => {
    assert.sameMembers(Object.keys(document.webhooks), [...WebhookEventName.literals])
    for (const event of WebhookEventName.literals) {
      assert.deepStrictEqual(Object.keys(document.webhooks[event] ?? {}), ["post"])
      const { description, operationId, parameters, responses, security, summary } = operation(event)
      const names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
      assert.deepStrictEqual(
        parameters.map(({ in: where, name, required }: Record<string, unknown>) => [where, name, required]),
        names.map((name) => ["header", name, true])
      )
      assert.sameMembers(Object.keys(responses), ["2XX", "410", "default"])
      for (const response of Object.values(responses)) assert.isNotEmpty(Object(response).description)
      assert.deepStrictEqual(security, [])
      assert.isNotEmpty(summary)
      assert.isNotEmpty(description)
      for (const item of Object.values(document.paths)) {
        for (const route of Object.values(item)) assert.notStrictEqual(Object(route).operationId, operationId)
      }
    }
  })

  it("share the schemas of the routes, and add their own", () => {
    const ofRoutes = new Map<string, unknown>(Object.entries(OpenApi.fromApi(Api).components.schemas))
    const own: Array<string> = []
    for (const [name, schema] of Object.entries(declared.components.schemas)) {
      assert.property(document.components.schemas, name)
      if (ofRoutes.has(name)) assert.deepStrictEqual(ofRoutes.get(name), schema, name)
      else own.push(name)
    }
    assert.sameMembers(own, ["StartEvent", "CompletedEvent", "CompletedEventWithoutOutput"])
  })

  it("have examples that are valid under their schemas", () => {
    assert.isAtLeast(schemas.examples.length, 3)
    for (const { example, name, schema } of schemas.examples) {
      assert.isNull(schemas.breach(schema, example), name)
    }
  })
})

layer(TestServer.layer(), { excludeTestServices: true })("sent webhooks are as declared", (it) => {
  it.effect("at the start of a request", () =>
    Effect.flatMap(scenarios.running, (id) => assertDeclared(id, "start"))
  )

  it.effect.each(names.filter((name) => name !== "queued" && name !== "running"))(
    "at the end of one that is %s",
    (scenario) => Effect.flatMap(scenarios[scenario], (id) => assertDeclared(id, "completed"))
  )

  it.effect("and the served document declares it", () =>
    Effect.gen(function* () {
      const { json } = yield* call({ path: "/openapi.json" })
      assert.deepStrictEqual(Object(json).webhooks, document.webhooks)
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Publishing } from "#src/features/catalog/Publishing.ts"
import { echo } from "#src/features/catalog/models/builtin/sandbox/Echo.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, issuesOf } from "#test/support/src/edges/http/Calls.ts"
import {
  body,
  collection,
  get,
  gpu,
  model,
  names,
  publish,
  template,
  wrapper
} from "#test/support/src/edges/api/catalog/ShownCatalog.ts"

const open = publish({
  models: [
    model("acme/flux", { displayName: "Flux", category: "image", tags: ["portrait"], recommended: 1 }),
    model("acme/old", { displayName: "Old", category: "image", tags: ["portrait"] }),
    model("acme/speech", { displayName: "Speech", category: "audio", tags: ["voice"] })
  ],
  wrappers: [wrapper("acme/greeting", { displayName: "Salutation" })],
  collections: [collection("best", ["acme/speech", "acme/gone", "acme/greeting", "acme/flux"])],
  gpus: [gpu("acme-1")],
  templates: [template("open", true), template("hidden", false)]
}).pipe(
  Effect.andThen(Effect.flatMap(Publishing, (publishing) => publishing.deprecate("acme/old", "command")))
)

layer(TestServer.layer({ catalogOnLog: true }), { excludeTestServices: true })("the catalog", (it) => {
  it.effect("shows a model with the contract's fields", () =>
    Effect.gen(function* () {
      yield* open
      const { updatedAt, ...shown } = yield* body("/models/acme/flux")
      assert.match(updatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepStrictEqual(shown, {
        modelEndpoint: "acme/flux",
        owner: "acme",
        name: "flux",
        displayName: "Flux",
        description: echo.model.description,
        category: "image",
        tags: ["portrait"],
        status: "active",
        recommended: 1,
        pricing: { unit: "request", unitPrice: "0.001", currency: "USD", minimumCharge: "0" },
        expectedSeconds: 1,
        stream: null,
        exampleInput: echo.model.exampleInput,
        kind: "model",
        expected: null
      })
    })
  )

  it.effect("shows a wrapper with its base and template, also among the models", () =>
    Effect.gen(function* () {
      yield* open
      const shown = yield* body("/wrappers/acme/greeting")
      assert.deepInclude(shown, {
        kind: "wrapper",
        base: "sandbox/echo",
        template: { value: "Hello, {{name}}!" },
        defaults: { name: "world" },
        recommended: null,
        pricing: { unit: "request", unitPrice: "0.001", currency: "USD", minimumCharge: "0" }
      })
      assert.deepStrictEqual(yield* body("/models/acme/greeting"), shown)
    })
  )

  it.effect("shows how the chunks of an output stream add up", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* body("/models/sandbox/stream"), { stream: "text" })
    })
  )

  it.effect("shows schemas; a wrapper has its own input and its base's output", () =>
    Effect.gen(function* () {
      yield* open
      const { inputSchema, outputSchema } = echo.model
      assert.deepStrictEqual(yield* body("/models/acme/flux/schema"), {
        input: inputSchema,
        output: outputSchema
      })
      const ofWrapper = yield* body("/models/acme/greeting/schema")
      assert.deepStrictEqual(yield* body("/wrappers/acme/greeting/schema"), ofWrapper)
      assert.deepStrictEqual(ofWrapper, { input: wrapper("acme/x").inputSchema, output: outputSchema })
    })
  )

  it.effect("lists models and wrappers separately, filtered by category, status and words", () =>
    Effect.gen(function* () {
      yield* open
      const list = (path: string) => Effect.map(body(path), ({ data }) => names(data))
      const all = yield* list("/models?limit=100")
      assert.includeMembers([...all], ["acme/flux", "acme/old", "acme/speech", "sandbox/echo"])
      assert.notInclude(all, "acme/greeting")
      assert.include(yield* list("/wrappers"), "acme/greeting")
      assert.notInclude(yield* list("/wrappers"), "acme/flux")
      assert.deepStrictEqual(yield* list("/models?status=deprecated"), ["acme/old"])
      assert.deepStrictEqual(yield* list("/models?category=audio"), ["acme/speech"])
      assert.deepStrictEqual(yield* list("/models?search=portrait"), ["acme/flux", "acme/old"])
      assert.deepStrictEqual(yield* list("/models?search=portarit&status=active"), ["acme/flux"])
      assert.deepStrictEqual(yield* list("/models?search=portrait&category=audio"), [])
      assert.deepStrictEqual(yield* list("/models?search=%20&category=audio"), ["acme/speech"])
      assert.deepStrictEqual(yield* list("/wrappers?search=hello"), ["acme/greeting"])
    })
  )

  it.effect("shows a collection in its order, without withdrawn entries", () =>
    Effect.gen(function* () {
      yield* open
      const { models, ...rest } = yield* body("/collections/best")
      assert.deepStrictEqual(rest, { slug: "best", name: "Collection best", description: "For tests." })
      assert.deepStrictEqual(names(models), ["acme/speech", "acme/greeting", "acme/flux"])
      const { data } = yield* body("/collections?limit=100")
      assert.deepInclude(data, rest)
    })
  )

  it.effect("searches models, wrappers and collections at once", () =>
    Effect.gen(function* () {
      yield* open
      const found = yield* body("/search?query=salutatoin&limit=2")
      assert.strictEqual(found.query, "salutatoin")
      assert.deepStrictEqual(names(found.wrappers), ["acme/greeting"])
      assert.deepStrictEqual(names(found.models), [])
      const { collections } = yield* body("/search?query=best")
      assert.deepStrictEqual(names(collections, "slug"), ["best"])
      assert.strictEqual((yield* body("/search?query=e&limit=1")).models.length, 1)
    })
  )

  it.effect("lists GPUs and the public deployment templates", () =>
    Effect.gen(function* () {
      yield* open
      const gpus = yield* body("/gpus")
      assert.deepInclude(gpus.data, { ...gpu("acme-1"), pricePerHour: "0.8125", currency: "USD" })
      const { createdAt, ...shown } = yield* body("/deployment-templates/open")
      assert.deepStrictEqual(shown, template("open", true))
      assert.strictEqual(new Date(createdAt).toISOString(), createdAt)
      const { data } = yield* body("/deployment-templates?limit=100")
      assert.include(names(data, "id"), "open")
      assert.notInclude(names(data, "id"), "hidden")
      assertEnvelope(yield* get("/deployment-templates/hidden"), 404)
    })
  )

  it.effect.each([
    ["/models/acme/none", "Model not found."],
    ["/models/acme/none/schema", "Model not found."],
    ["/wrappers/acme/none/schema", "Wrapper not found."],
    ["/wrappers/sandbox/echo/schema", "Wrapper not found."],
    ["/models/ACME/flux", "Route not found."],
    ["/wrappers/acme/none", "Wrapper not found."],
    ["/wrappers/sandbox/echo", "Wrapper not found."],
    ["/collections/none", "Collection not found."],
    ["/deployment-templates/none", "Deployment template not found."]
  ] as const)("%s is 404", ([path, error]) =>
    Effect.gen(function* () {
      const reply = yield* get(path)
      assertEnvelope(reply, 404)
      assert.deepInclude(reply.json, { error })
    })
  )

  it.effect.each([
    ["/models?category=none", ["category", "enum"]],
    ["/models?status=gone", ["status", "enum"]],
    ["/models?page=0", ["page", "range"]],
    ["/models?limit=101", ["limit", "range"]],
    ["/models?cursor=x", ["cursor", "cursor"]],
    ["/models?category=audio&category=text", ["category", "repeated"]],
    [`/models?search=${"x".repeat(201)}`, ["search", "maxLength"]],
    [`/models?search=${encodeURIComponent("🎨".repeat(201))}`, ["search", "maxLength"]],
    ["/wrappers?status=x", ["status", "enum"]],
    ["/collections?limit=x", ["limit", "range"]],
    ["/search", ["query", "required"]],
    ["/search?query=%20", ["query", "required"]],
    [`/search?query=${"x".repeat(10_000)}`, ["query", "maxLength"]],
    ["/search?query=a&limit=0", ["limit", "range"]],
    ["/pricing?modelEndpoint=x", ["modelEndpoint", "pattern"]],
    ["/gpus?page=x", ["page", "range"]],
    ["/deployment-templates?limit=0", ["limit", "range"]]
  ] as const)("%s is 400", ([path, issue]) =>
    Effect.gen(function* () {
      const reply = yield* get(path)
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(issuesOf(reply), [issue])
    })
  )

  it.effect("accepts 200 characters, however many code units each has", () =>
    Effect.gen(function* () {
      const { status } = yield* get(`/models?search=${encodeURIComponent("🎨".repeat(200))}`)
      assert.strictEqual(status, 200)
    })
  )

  it.effect("reports every error in a query", () =>
    Effect.gen(function* () {
      const reply = yield* get("/models?category=x&status=y&limit=0")
      assert.deepStrictEqual(
        issuesOf(reply).map(([path]) => path),
        ["category", "status", "limit"]
      )
    })
  )

  it.effect("accepts any text in a search", () =>
    Effect.gen(function* () {
      const texts = [
        '"',
        "'",
        "a OR b",
        "NEAR(a b)",
        "*",
        "-x",
        "a:b",
        "^a",
        "(",
        "\u0000",
        "🙂",
        "\u202e",
        "%",
        "'; DROP"
      ]
      for (const text of texts) {
        for (const path of ["/models?search=", "/wrappers?search=", "/search?query="]) {
          const { status } = yield* get(path + encodeURIComponent(text))
          assert.strictEqual(status, 200, `${path}${text}`)
        }
      }
      for (const path of ["/search?query=%ff", "/search?query=%", "/models?search=%c0%af"]) {
        assert.isBelow((yield* get(path)).status, 500, path)
      }
    })
  )
})

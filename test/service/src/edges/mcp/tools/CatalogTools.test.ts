import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as CatalogProjection from "#projections/catalog/CatalogProjection.ts"
import * as BuiltinPublishing from "#src/features/manifests/BuiltinPublishing.ts"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"
import * as AllTools from "#src/edges/mcp/AllTools.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as ToolClients from "#test/support/src/edges/mcp/tools/ToolClients.ts"

const expectation = { p50Seconds: 0.8, p90Seconds: 2.1, samples: 240, waitSeconds: 3 }

/** Run times of one model have been learned. */
const expectations = Layer.succeed(Expectations, {
  of: (endpoint) => (endpoint === "vision/resize" ? expectation : null)
})

/** What ships with the server. */
const builtins = Layer.mergeAll(BuiltinPublishing.layer, CatalogSearch.layer, expectations).pipe(
  Layer.provideMerge(
    TestNode.layer({ catalogOnLog: true, dispatches: false, projections: [CatalogProjection.projection] })
  )
)

const connect = ToolClients.connect(AllTools.catalogLayer)

interface Summary {
  readonly modelEndpoint: string
  readonly description: string
  readonly category: string
  readonly recommended: number | null
}

interface Page {
  readonly page: number
  readonly limit: number
  readonly total: number
  readonly totalPages: number
  readonly data: ReadonlyArray<Summary>
  readonly hint?: string
}

const named = ({ data }: Pick<Page, "data">) => data.map(({ modelEndpoint }) => modelEndpoint)

const contents = Effect.flatMap(CatalogContents, ({ current }) => current)

layer(builtins)("The tools of the catalog", (it) => {
  it.effect("list every model once, in pages", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      const pages = yield* Effect.forEach([1, 2, 3], (page) =>
        answer<Page>("list_models", { page, limit: 5 })
      )
      const { models } = yield* contents
      const total = models.length
      assert.isAbove(total, 10)
      assert.deepStrictEqual(
        pages.map(({ data, ...counts }) => [counts, data.length]),
        [
          [{ page: 1, limit: 5, total, totalPages: 3 }, 5],
          [{ page: 2, limit: 5, total, totalPages: 3 }, 5],
          [{ page: 3, limit: 5, total, totalPages: 3 }, total - 10]
        ]
      )
      assert.deepStrictEqual(
        pages.flatMap(named).toSorted(),
        models.map(({ model }) => model.endpoint).toSorted()
      )
      const usual = yield* answer<Page>("list_models")
      assert.deepStrictEqual([usual.page, usual.limit], [1, 20])
      assert.deepStrictEqual(named(usual), pages.flatMap(named))
    })
  )

  it.effect("return in lists what the platform's routes return, in fewer words", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      const { byEndpoint } = yield* contents
      const models = yield* answer<Page>("list_models")
      const wrappers = yield* answer<Page>("list_wrappers")
      for (const { description, ...summary } of [...models.data, ...wrappers.data]) {
        const listed = byEndpoint.get(summary.modelEndpoint)
        assert.isDefined(listed)
        const { description: whole, ...record } = ListingView.record(listed)
        assert.deepStrictEqual({ ...record, ...summary }, record)
        assert.isAtMost(description.length, 200)
        assert.isTrue(whole.startsWith(description.replace("…", "")), description)
      }
      assert.deepStrictEqual(named(wrappers).toSorted(), ["sandbox/greeting", "vision/thumbnail"])
    })
  )

  it.effect("list the entries of a category that match the words, with one typo", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      const utilities = yield* answer<Page>("list_models", { category: "utility" })
      assert.isNotEmpty(utilities.data)
      assert.isTrue(utilities.data.every(({ category }) => category === "utility"))
      assert.deepStrictEqual(named(yield* answer<Page>("list_models", { search: "blurhush" })), [
        "vision/blurhash"
      ])
      const both = { search: "thumbnail", category: "image" }
      assert.deepStrictEqual(named(yield* answer<Page>("list_wrappers", both)), ["vision/thumbnail"])
      const greeting = yield* answer<Page>("list_wrappers", { search: "greetings" })
      assert.deepStrictEqual(named(greeting), ["sandbox/greeting"])
      const none = yield* answer<Page>("list_models", { search: "blurhash", category: "video" })
      assert.deepStrictEqual([none.total, none.data], [0, []])
      assert.match(none.hint ?? "", /No model matches\..*`search`/)
    })
  )

  it.effect("report a page beyond the last one", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      const beyond = yield* answer<Page>("list_models", { page: 9, limit: 10 })
      assert.deepStrictEqual([beyond.totalPages, beyond.data], [2, []])
      assert.strictEqual(beyond.hint, "At this limit the last page is 2.")
    })
  )

  it.effect("recommend curated entries, in the order of their ranks", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      const images = yield* answer<Page>("recommended_models", { category: "image" })
      const ranks = images.data.map(({ recommended }) => recommended ?? 0)
      assert.isAbove(ranks.length, 1)
      assert.deepStrictEqual(
        ranks,
        ranks.toSorted((a, b) => a - b)
      )
      assert.isTrue(images.data.every(({ category }) => category === "image"))
      const all = yield* answer<Page>("recommended_models")
      const { models } = yield* contents
      const curated = models.filter(({ model }) => model.recommended !== undefined)
      assert.deepStrictEqual(named(all).toSorted(), curated.map(({ model }) => model.endpoint).toSorted())
      const wrappers = yield* answer<Page>("recommended_wrappers", { category: "image" })
      assert.deepStrictEqual(named(wrappers), ["vision/thumbnail"])
    })
  )

  it.effect("suggest where to look when nothing is curated", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      const models = yield* answer<Page>("recommended_models", { category: "video" })
      assert.deepStrictEqual([models.total, models.data], [0, []])
      assert.include(models.hint ?? "", "`list_models`")
      const wrappers = yield* answer<Page>("recommended_wrappers", { category: "audio" })
      assert.include(wrappers.hint ?? "", "`list_wrappers`")
    })
  )

  it.effect("find models and wrappers by words, and suggest the next call", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      interface Found {
        readonly models: ReadonlyArray<Summary>
        readonly wrappers: ReadonlyArray<Summary>
        readonly totalModels: number
        readonly totalWrappers: number
        readonly hint: string
      }
      const found = yield* answer<Found>("search", { query: "resise picture" })
      assert.strictEqual(found.models[0]?.modelEndpoint, "vision/resize")
      assert.include(named({ data: found.wrappers }), "vision/thumbnail")
      assert.match(found.hint, /^Closest is `vision\/resize`: call `get_model`/)
      const wrapped = yield* answer<Found>("search", { query: "Thumbnail" })
      assert.match(wrapped.hint, /^Closest is `vision\/thumbnail`: call `get_wrapper`/)
      const few = yield* answer<Found>("search", { query: "sandbox", limit: 2 })
      assert.deepStrictEqual([few.models.length, few.wrappers.length], [2, 1])
      assert.deepStrictEqual([few.totalModels, few.totalWrappers], [10, 1])
      for (const query of ["zzzzzz", " ", "?!"]) {
        const nothing = yield* answer<Found>("search", { query })
        assert.deepStrictEqual([nothing.models, nothing.wrappers], [[], []])
        assert.match(nothing.hint, /^Nothing matches\..*`list_models`/)
      }
    })
  )

  it.effect("describe a model with everything needed to run it", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      const { inputFields, runWith, ...detail } = yield* answer<Record<string, unknown>>("get_model", {
        modelEndpoint: "vision/resize"
      })
      const listed = (yield* contents).byEndpoint.get("vision/resize")
      assert.isDefined(listed)
      const { name: _, owner: __, updatedAt: ___, stream: ____, ...record } = ListingView.record(listed)
      assert.deepStrictEqual(detail, {
        ...record,
        expected: expectation,
        exampleEstimate: {
          quantity: "0.003072",
          unit: "megapixel",
          estimatedCost: "0.000003072",
          isMaximum: false,
          maximumCost: "0.000003072"
        }
      })
      assert.deepStrictEqual(inputFields, [
        {
          name: "image",
          type: "string",
          required: true,
          limits: "1 to 10485760 characters",
          description:
            "The picture: an https URL, a file URL of this service, or a data: URI of at most 10 MiB. PNG, JPEG, WebP, GIF, AVIF or TIFF; at most 50 MiB and 50 megapixels."
        },
        {
          name: "width",
          type: "integer",
          required: false,
          limits: "1 to 16384",
          description: "Width of the output in pixels. Without it, it follows from the height."
        },
        {
          name: "height",
          type: "integer",
          required: false,
          limits: "1 to 16384",
          description: "Height of the output in pixels. Without it, it follows from the width."
        },
        {
          name: "fit",
          type: "string",
          required: false,
          allowed: ["cover", "contain", "fill", "inside", "outside"],
          default: "cover",
          description:
            "How the picture meets width and height when both are given: cover crops it, contain adds borders, fill stretches it, inside and outside keep its shape and make it at most or at least so large."
        },
        {
          name: "format",
          type: "string",
          required: false,
          allowed: ["png", "jpeg", "webp", "avif"],
          description:
            "File format of the output. Default: that of the input where it is listed here, else png."
        }
      ])
      assert.match(String(runWith), /`run_model` with modelEndpoint "vision\/resize".*`upload_file`/)
    })
  )

  it.effect("describe every model and wrapper, with the cost of its example", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      for (const [modelEndpoint, listed] of (yield* contents).byEndpoint) {
        const detail = yield* answer<Record<string, unknown>>("get_model", { modelEndpoint })
        assert.strictEqual(detail["kind"], listed.kind)
        assert.isObject(detail["exampleEstimate"], modelEndpoint)
        assert.isNotEmpty(detail["inputFields"], modelEndpoint)
        assert.deepStrictEqual(detail["exampleInput"], ListingView.partsOf(listed).shown.exampleInput)
        assert.isBelow(JSON.stringify(detail).length, 6_000)
      }
    })
  )

  it.effect("describe a wrapper with its base model, its template and its defaults", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      const wrapper = { modelEndpoint: "vision/thumbnail" }
      const { base, baseModel, defaults, template, ...detail } = yield* answer<Record<string, unknown>>(
        "get_wrapper",
        wrapper
      )
      assert.deepStrictEqual(detail, yield* answer("get_model", wrapper))
      const models = yield* answer<Page>("list_models", { search: "vision/resize" })
      assert.strictEqual(base, "vision/resize")
      assert.containSubset(models.data[0], baseModel)
      assert.deepStrictEqual(defaults, { size: 256 })
      assert.containSubset(template, { image: "{{image}}", width: "{{size}}", fit: "cover" })
    })
  )

  it.effect("return the schema of an input unchanged", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      for (const [modelEndpoint, listed] of (yield* contents).byEndpoint) {
        const { inputSchema } = ListingView.partsOf(listed).shown
        assert.deepStrictEqual(yield* answer("get_model_raw_schema", { modelEndpoint }), {
          modelEndpoint,
          inputSchema
        })
      }
    })
  )
})

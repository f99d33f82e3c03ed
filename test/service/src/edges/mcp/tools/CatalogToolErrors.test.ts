import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as CatalogProjection from "#projections/catalog/CatalogProjection.ts"
import * as BuiltinPublishing from "#src/features/manifests/BuiltinPublishing.ts"
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import * as AllTools from "#src/edges/mcp/AllTools.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as ToolClients from "#test/support/src/edges/mcp/tools/ToolClients.ts"

/** What ships with the server. */
const builtins = Layer.merge(BuiltinPublishing.layer, CatalogSearch.layer).pipe(
  Layer.provideMerge(
    TestNode.layer({ catalogOnLog: true, dispatches: false, projections: [CatalogProjection.projection] })
  )
)

const connect = ToolClients.connect(AllTools.catalogLayer)

const next = "Call `search` with a few words about the task, or `list_models`, to get exact names."

layer(builtins)("A tool of the catalog that finds nothing", (it) => {
  it.effect("suggests the closest name for an unknown model", () =>
    Effect.gen(function* () {
      const { errorAnswer } = yield* connect
      const closest = Effect.fnUntraced(function* (modelEndpoint: string) {
        const text = yield* errorAnswer("get_model", { modelEndpoint })
        assert.isTrue(text.endsWith(next), text)
        return /Closest in the catalog: `([^`]*)`/.exec(text)?.[1]
      })
      assert.strictEqual(yield* closest("vision/resise"), "vision/resize")
      assert.strictEqual(yield* closest("vision-resize"), "vision/resize")
      assert.strictEqual(yield* closest("Vision/Resize"), "vision/resize")
      assert.strictEqual(yield* closest("visionresize"), "vision/resize")
      assert.strictEqual(yield* closest("resize"), "vision/resize")
      assert.strictEqual(yield* closest("acme/thumbnail"), "vision/thumbnail")
      assert.isUndefined(yield* closest("zzzz/qqqq"))
    })
  )

  it.effect("does the same for schemas and wrappers, without repeating the input", () =>
    Effect.gen(function* () {
      const { errorAnswer } = yield* connect
      for (const tool of ["get_model", "get_model_raw_schema", "get_wrapper"]) {
        assert.strictEqual(
          yield* errorAnswer(tool, { modelEndpoint: "zzzz/sesame" }),
          `There is no model or wrapper with this modelEndpoint. ${next}`
        )
        assert.strictEqual(
          yield* errorAnswer(tool, { modelEndpoint: "sesame zzzz" }),
          `This modelEndpoint is not of the form \`owner/name\` in lower case. ${next}`
        )
      }
    })
  )

  it.effect("points a caller that requests a model as a wrapper to the right tool", () =>
    Effect.gen(function* () {
      const { errorAnswer } = yield* connect
      assert.strictEqual(
        yield* errorAnswer("get_wrapper", { modelEndpoint: "vision/resize" }),
        "`vision/resize` is a model, not a wrapper: call `get_model` with the same modelEndpoint. `list_wrappers` has the wrappers."
      )
    })
  )

  it.effect("accepts queries of as many characters as its schema allows, in any script", () =>
    Effect.gen(function* () {
      const { answer, errorAnswer } = yield* connect
      assert.deepInclude(yield* answer("search", { query: "😀".repeat(200) }), { totalModels: 0 })
      assert.match(
        yield* errorAnswer("search", { query: "😀".repeat(201) }),
        /^`query` must be text of 1 to 200 characters\.$/m
      )
    })
  )

  it.effect("treats null and an empty search as absent", () =>
    Effect.gen(function* () {
      const { answer } = yield* connect
      const all = yield* answer("list_models")
      const left = { search: null, category: null, page: null, limit: null }
      assert.deepStrictEqual(yield* answer("list_models", left), all)
      assert.deepStrictEqual(yield* answer("list_models", { search: " " }), all)
    })
  )
})

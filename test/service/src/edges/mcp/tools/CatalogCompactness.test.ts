import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as CatalogProjection from "#projections/catalog/CatalogProjection.ts"
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import { Publishing } from "#src/features/catalog/Publishing.ts"
import * as AllTools from "#src/edges/mcp/AllTools.ts"
import { definitions, model, wrapper } from "#test/support/CatalogDefinitions.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as ToolClients from "#test/support/src/edges/mcp/tools/ToolClients.ts"

const node = CatalogSearch.layer.pipe(
  Layer.provideMerge(
    TestNode.layer({ catalogOnLog: true, dispatches: false, projections: [CatalogProjection.projection] })
  )
)

const connect = ToolClients.connect(AllTools.catalogLayer)

/** As long as manifests allow. */
const longest = {
  displayName: "A name ".repeat(15).slice(0, 100),
  description: "Long words of somebody who likes to write.\n".repeat(100).slice(0, 4_000),
  tags: Array.from({ length: 20 }, (_, index) => `${"t".repeat(37)}${index}`)
}

const publish = Effect.fnUntraced(function* (some: Parameters<typeof definitions>[0]) {
  yield* (yield* Publishing).publish(definitions(some), { source: "command", reactivates: false })
})

const bytes = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer))

interface Shortlist {
  readonly total: number
  readonly data: ReadonlyArray<{ readonly modelEndpoint: string; readonly status: string }>
  readonly hint?: string
}

const named = ({ data }: Shortlist) => data.map(({ modelEndpoint }) => modelEndpoint)

describe("The answers of the catalog tools", () => {
  it.effect("are short in lists, whatever publishers write, and complete for one entry", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 22 }, (_, index) => `acme/${"m".repeat(60)}${index}`)
      yield* publish({
        models: names.map((name) => model(name, { ...longest, recommended: 1 })),
        wrappers: names.map((name) => wrapper(`${name}w`, name, { ...longest, recommended: 1 }))
      })
      const { answer } = yield* connect
      assert.isBelow(bytes(yield* answer("list_models")), 16_000)
      assert.isBelow(bytes(yield* answer("list_wrappers")), 18_000)
      assert.isBelow(bytes(yield* answer("recommended_models")), 16_000)
      assert.isBelow(bytes(yield* answer("search", { query: "words" })), 18_000)
      const detail = yield* answer<{ description: string }>("get_model", { modelEndpoint: names[0] })
      assert.strictEqual(detail.description, longest.description)
    }).pipe(Effect.provide(node))
  )

  it.effect("omit an example that would fill the context of its reader", () =>
    Effect.gen(function* () {
      const exampleInput = { value: "x".repeat(5_000) }
      yield* publish({ models: [model("acme/large", { exampleInput })] })
      const { answer } = yield* connect
      const detail = yield* answer("get_model", { modelEndpoint: "acme/large" })
      assert.containSubset(detail, { exampleInput: null, inputFields: [{ name: "value" }] })
    }).pipe(Effect.provide(node))
  )

  it.effect("have the text of what has integers past 2^53 beside it", () =>
    Effect.gen(function* () {
      const seed = '{"seed":18446744073709551615}'
      const written = (text: string) => {
        const value = JsonText.parse(text)
        return CanonicalJson.isObject(value) ? value : {}
      }
      const schema = '{"properties":{"seed":{"maximum":18446744073709551615}}}'
      yield* publish({
        models: [model("acme/long", { exampleInput: written(seed), inputSchema: written(schema) })],
        wrappers: [wrapper("acme/longer", "acme/long", { template: written(seed) })]
      })
      const { answer } = yield* connect
      const textsOf = (tool: string, modelEndpoint: string) =>
        Effect.map(
          answer<{ readonly exactTexts?: object }>(tool, { modelEndpoint }),
          ({ exactTexts }) => exactTexts
        )
      assert.deepStrictEqual(yield* textsOf("get_model", "acme/long"), { exampleInput: seed })
      assert.deepStrictEqual(yield* textsOf("get_model_raw_schema", "acme/long"), { inputSchema: schema })
      assert.deepStrictEqual(yield* textsOf("get_wrapper", "acme/longer"), { template: seed })
    }).pipe(Effect.provide(node))
  )

  it.effect("show deprecated models in lists only, with a note", () =>
    Effect.gen(function* () {
      yield* publish({
        models: [model("acme/old", { recommended: 1 }), model("acme/new", { recommended: 2 })],
        wrappers: [wrapper("acme/old-logo", "acme/new", { recommended: 1 })]
      })
      yield* (yield* Publishing).deprecate("acme/old", "command")
      yield* (yield* Publishing).deprecate("acme/old-logo", "command")
      const { answer } = yield* connect
      const models = yield* answer<Shortlist>("list_models")
      assert.sameDeepMembers(
        models.data.map(({ modelEndpoint, status }) => [modelEndpoint, status]),
        [
          ["acme/new", "active"],
          ["acme/old", "deprecated"]
        ]
      )
      assert.deepStrictEqual(named(yield* answer<Shortlist>("recommended_models")), ["acme/new"])
      assert.deepStrictEqual(named(yield* answer<Shortlist>("recommended_wrappers")), [])
      const old = yield* answer<{ runWith: string }>("get_wrapper", { modelEndpoint: "acme/old-logo" })
      assert.match(old.runWith, /^It is deprecated: /)
    }).pipe(Effect.provide(node))
  )

  it.effect("are the best of each category without a filter, with a note that there is more", () =>
    Effect.gen(function* () {
      const categories = ["video", "image", "text"] as const
      yield* publish({
        models: categories.flatMap((category) =>
          Array.from({ length: 8 }, (_, index) =>
            model(`${category}/m${index}`, { category, recommended: index + 1 })
          )
        )
      })
      const { answer } = yield* connect
      const all = yield* answer<Shortlist>("recommended_models")
      assert.deepStrictEqual([all.total, all.data.length], [24, 20])
      assert.deepStrictEqual(named(all).slice(0, 4), ["image/m0", "video/m0", "text/m0", "image/m1"])
      assert.include(all.hint ?? "", "ask for one category")
      const texts = yield* answer<Shortlist>("recommended_models", { category: "text" })
      assert.deepStrictEqual([texts.total, texts.hint], [8, undefined])
    }).pipe(Effect.provide(node))
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Publishing } from "#src/features/catalog/Publishing.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { body, model, names, publish } from "#test/support/src/edges/api/catalog/ShownCatalog.ts"

const endpoints = Array.from({ length: 7 }, (_, index) => `paged/m${index}`)

const open = publish({ models: endpoints.map((endpoint) => model(endpoint, { category: "video" })) })

/** All pages by cursor; `between` runs after the first. */
const pages = (path: string, between: Effect.Effect<unknown, unknown, Publishing>) =>
  Effect.gen(function* () {
    const first = yield* body(path)
    assert.deepInclude(first, { page: 1, limit: 3 })
    yield* between
    const all = [...names(first.data)]
    let number = 1
    let { next } = first
    while (next !== null) {
      const page = yield* body(`${path}&cursor=${next}`)
      number += 1
      assert.strictEqual(page.page, number)
      all.push(...names(page.data))
      next = page.next
    }
    return all
  })

layer(TestServer.layer({ catalogOnLog: true }), { excludeTestServices: true })("pages of models", (it) => {
  it.effect("by number cover the whole list", () =>
    Effect.gen(function* () {
      yield* open
      const first = yield* body("/models?category=video&limit=4")
      assert.deepInclude(first, { page: 1, limit: 4, total: 7, totalPages: 2 })
      const second = yield* body("/models?category=video&limit=4&page=2")
      assert.strictEqual(second.next, null)
      assert.sameMembers([...names(first.data), ...names(second.data)], endpoints)
      const behind = yield* body("/models?category=video&page=9")
      assert.deepInclude(behind, { page: 9, data: [], next: null, total: 7 })
    })
  )

  it.effect("are newest first", () =>
    Effect.gen(function* () {
      yield* publish({ models: [model("paged/newest", { category: "audio" })] })
      assert.strictEqual(names((yield* body("/models")).data)[0], "paged/newest")
    })
  )

  it.effect(
    "by cursor neither miss nor repeat a model that is published, changed or withdrawn in between",
    () =>
      Effect.gen(function* () {
        yield* open
        const between = Effect.gen(function* () {
          const publishing = yield* Publishing
          const [shown = "", ...others] = names((yield* body("/models?category=video&limit=3")).data).map(
            String
          )
          yield* publish({
            models: [
              model("paged/late", { category: "video" }),
              ...endpoints.map((endpoint) => model(endpoint, { category: "video", displayName: "Other" }))
            ]
          })
          // The last item shown, to which the cursor points.
          yield* publishing.withdraw("model", others.at(-1) ?? shown, "command")
        }).pipe(Effect.provideContext(yield* Effect.context<TestServer.TestServer>()))
        const all = yield* pages("/models?category=video&limit=3", between)
        assert.lengthOf(all, endpoints.length)
        assert.sameMembers(all, endpoints)
      })
  )

  it.effect("of a search neither miss nor repeat a model, best first", () =>
    Effect.gen(function* () {
      yield* publish({
        models: [
          model("found/zebra", { displayName: "Zebra" }),
          ...[1, 2, 3, 4, 5].map((at) =>
            model(`found/m${at}`, { displayName: "Striped", description: "a zebra", category: "image" })
          )
        ]
      })
      const better = publish({ models: [model("found/zebra-two", { displayName: "Zebra two" })] })
      const all = yield* pages("/models?search=zebra&limit=3", better)
      assert.strictEqual(all[0], "found/zebra")
      assert.sameMembers(all, ["found/zebra", ...[1, 2, 3, 4, 5].map((at) => `found/m${at}`)])
    })
  )
})

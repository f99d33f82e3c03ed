/** The manifests of the server and of its documentation. */
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Category } from "#domain/catalog/Model.ts"
import * as BuiltinItems from "#src/features/manifests/BuiltinItems.ts"
import { definitionsOf } from "#src/features/manifests/Items.ts"
import { text } from "#src/features/manifests/Diagnostic.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import * as Folder from "#test/support/src/features/manifests/ManifestFolder.ts"

describe("The built-in manifests", () => {
  it.effect("have no error and no warning, and match the catalog", () =>
    Effect.gen(function* () {
      const { items, diagnostics } = yield* BuiltinItems.checked
      assert.deepStrictEqual(diagnostics.map(text), [])
      const count = (kind: string) => items.filter((item) => item.kind === kind).length
      assert.isAtLeast(count("wrapper"), 2)
      assert.isAtLeast(count("collection"), 2)
      assert.isAtLeast(count("gpu"), 3)
      assert.isAtLeast(count("deployment-template"), 2)
    })
  )

  it.effect("are published as they are checked", () =>
    Effect.gen(function* () {
      const { items } = yield* BuiltinItems.checked
      const checked = definitionsOf(items)
      const published = yield* BuiltinItems.definitions
      const byName = (models: ReadonlyArray<{ readonly version: string }>) =>
        models.map((one) => one.version).sort()
      assert.deepStrictEqual(byName(published.wrappers), byName(checked.wrappers))
      assert.sameDeepMembers([...published.collections], [...checked.collections])
      assert.sameDeepMembers([...published.gpus], [...checked.gpus])
      assert.sameDeepMembers([...published.templates], [...checked.templates])
      assert.deepStrictEqual(published.models, [])
    })
  )

  it.effect("have examples that need no internet", () =>
    Effect.gen(function* () {
      const { items } = yield* BuiltinItems.checked
      for (const item of items) {
        if ("entry" in item) assert.notMatch(JSON.stringify(item.entry?.model.exampleInput), /https?:/)
      }
    })
  )

  it.effect("and the built-in models leave no curated list empty, and use each rank once", () =>
    Effect.gen(function* () {
      const { items } = yield* BuiltinItems.checked
      const wrappers = items.flatMap((item) =>
        "entry" in item && item.entry !== null ? [item.entry.model] : []
      )
      const all = [...BuiltinCatalog.builtinModels.map(({ model }) => model), ...wrappers]
      for (const category of Category.literals) {
        const models = all.filter((model) => model.category === category)
        const ranks = models.flatMap(({ recommended }) => recommended ?? [])
        assert.strictEqual(ranks.length > 0, models.length > 0, category)
        assert.lengthOf(new Set(ranks), ranks.length)
      }
    })
  )
})

describe("docs/reference/manifests.md", () => {
  const text = fs.readFileSync(new URL("../../../../../docs/reference/manifests.md", import.meta.url), "utf8")
  const blocks = Array.from(text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm), ([, block = ""]) => block)

  it.effect("contains valid examples, at least one of each kind", () =>
    Effect.gen(function* () {
      const files = Object.fromEntries(blocks.map((block, index) => [`${index}.yaml`, block]))
      const variables = { GPU_TOKEN: "t", UPSTREAM_API_KEY: "k" }
      const { items, lines } = yield* Folder.check(files, variables)
      assert.deepStrictEqual(lines, [])
      const kinds = new Set(items.map(({ kind }) => kind))
      assert.deepStrictEqual([...kinds].sort(), [
        "collection",
        "deployment-template",
        "gpu",
        "model",
        "wrapper"
      ])
    })
  )
})

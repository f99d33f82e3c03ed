import { assert, describe, it } from "@effect/vitest"
import * as Imports from "#tools/Imports.ts"

describe("the reader of imports", () => {
  const text = [
    'import * as A from "#domain/A.ts"',
    'import type { B } from "./B.ts"',
    "import type {",
    "  F",
    '} from "./F.ts"',
    'import "./side/Effect.js"',
    'export { C } from "../C.ts"',
    'const D = await import("#src/kernel/text/D.ts")',
    'import * as fs from "node:fs"',
    'const thread = new Worker(new URL("./thread.ts", import.meta.url))',
    'import { Inferlog } from "@inferlog/client"'
  ].join("\n")

  it("reads values, types, re-exports and dynamic imports", () => {
    assert.deepStrictEqual(
      [...Imports.importsOf("streams/sqlite/X.ts", text)],
      [
        "domain/A.ts",
        "streams/sqlite/B.ts",
        "streams/sqlite/F.ts",
        "streams/sqlite/side/Effect.js",
        "streams/C.ts",
        "src/kernel/text/D.ts"
      ]
    )
  })

  it("takes for loaded what is started or imported by a package's name, and no types", () => {
    assert.deepStrictEqual(
      [...Imports.loadsOf("streams/sqlite/X.ts", text)],
      [
        "domain/A.ts",
        "streams/sqlite/side/Effect.js",
        "streams/C.ts",
        "src/kernel/text/D.ts",
        "streams/sqlite/thread.ts",
        "clients/typescript/index.ts"
      ]
    )
  })

  it("counts the steps of the shortest way, also through a cycle", () => {
    const graph = new Map([
      ["a", new Set(["b", "c"])],
      ["b", new Set(["c", "a"])],
      ["c", new Set(["d"])],
      ["e", new Set(["a"])]
    ])
    assert.deepStrictEqual(
      [...Imports.distances(graph, ["a"])],
      [
        ["a", 0],
        ["b", 1],
        ["c", 1],
        ["d", 2]
      ]
    )
    assert.deepStrictEqual(
      [...Imports.distances(Imports.reversed(graph), ["d"]).keys()],
      ["d", "c", "a", "b", "e"]
    )
  })
})

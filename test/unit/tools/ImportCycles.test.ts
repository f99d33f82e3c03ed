import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as ImportCycles from "#tools/ImportCycles.ts"

const graph = (edges: Readonly<Record<string, ReadonlyArray<string>>>) =>
  new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]))

describe("the check of imports", () => {
  it("finds each cycle once, and nothing in a diamond", () => {
    const cyclic = graph({ a: ["b"], b: ["c", "d"], c: ["a"], d: ["e"], e: ["d"] })
    assert.deepStrictEqual(ImportCycles.cyclesOf(cyclic), [
      ["d", "e"],
      ["a", "b", "c"]
    ])
    assert.deepStrictEqual(ImportCycles.cyclesOf(graph({ a: ["b", "c"], b: ["d"], c: ["d"], d: [] })), [])
  })

  it("takes rooms that import each other for a cycle, though no two files do", () => {
    const files = graph({
      "src/features/a/One.ts": ["src/features/b/Two.ts"],
      "src/features/b/Three.ts": ["src/features/a/Four.ts"]
    })
    assert.deepStrictEqual(ImportCycles.cyclesOf(files), [])
    assert.deepStrictEqual(ImportCycles.cyclesOf(ImportCycles.roomsOf(files)), [
      ["src/features/a", "src/features/b"]
    ])
  })

  it("agrees with ARCHITECTURE.md, where each room imports only rooms above it", () => {
    const page = fs.readFileSync(new URL("../../../ARCHITECTURE.md", import.meta.url), "utf8")
    const rows = page.matchAll(/^\| `((?:kernel|platform|features|edges)\/[a-z-]+)` \|/gm)
    const listed = [...rows].map(([, room = ""]) => `src/${room}`)
    const rooms = ImportCycles.roomsOf(ImportCycles.read())
    const divided = [...rooms.keys()].filter((room) => /^src\/(kernel|platform|features|edges)\//.test(room))
    assert.sameMembers(listed, divided)
    for (const room of divided) {
      const later = [...(rooms.get(room) ?? [])].filter(
        (imported) => listed.indexOf(imported) > listed.indexOf(room)
      )
      assert.deepStrictEqual(later, [], `${room} imports rooms below it`)
    }
  })
})

import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const inDirectory = (body: (base: string, write: (...names: ReadonlyArray<string>) => void) => void) =>
  Effect.scoped(
    Effect.map(TempDirectory.make, (directory) =>
      body(Generations.baseIn(directory), (...names) => {
        for (const name of names) fs.writeFileSync(`${directory}/${name}`, name)
      })
    )
  )

const namesBeside = (base: string) => fs.readdirSync(base.slice(0, base.lastIndexOf("/"))).sort()

describe("Generations", () => {
  it.effect("use the highest number, and ignore similar names", () =>
    inDirectory((base, write) => {
      assert.strictEqual(Generations.current(base), base)
      write("projections.sqlite", "projections.rebuild.sqlite", "projections.x1.sqlite", "other.7.sqlite")
      assert.strictEqual(Generations.current(base), base)
      write("projections.9.sqlite", "projections.10.sqlite", "projections.11.sqlite-wal")
      assert.strictEqual(Generations.current(base), base.replace(".sqlite", ".10.sqlite"))
    })
  )

  it.effect("promote the copy above all others, never beside an abandoned journal", () =>
    inDirectory((base, write) => {
      write("projections.sqlite", "projections.rebuild.sqlite", "projections.1.sqlite-wal")
      const first = Generations.promote(base)
      assert.strictEqual(fs.readFileSync(first, "utf8"), "projections.rebuild.sqlite")
      assert.deepStrictEqual(namesBeside(base), ["projections.1.sqlite", "projections.sqlite"])
      write("projections.rebuild.sqlite")
      assert.strictEqual(Generations.promote(base), base.replace(".sqlite", ".2.sqlite"))
    })
  )

  it.effect("remove the others with their journals, and leave foreign files", () =>
    inDirectory((base, write) => {
      write("projections.sqlite", "projections.sqlite-wal", "projections.1.sqlite", "projections.2.sqlite")
      write("projections.2.sqlite-wal", "projections.rebuild.sqlite", "log.sqlite")
      Generations.removeOthers(base, Generations.current(base))
      assert.deepStrictEqual(namesBeside(base), [
        "log.sqlite",
        "projections.2.sqlite",
        "projections.2.sqlite-wal",
        "projections.rebuild.sqlite"
      ])
    })
  )
})

/** What each entry of the bundle loads before it does anything. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Build from "#bin/Build.js"

/** What a file of the build imports, directly or not, unless it is imported later: its own files and the packages. */
const importsOf = (folder: string, entry: string) => {
  const files = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: string) => {
    if (files.has(file)) return
    files.add(file)
    const code = fs.readFileSync(path.join(folder, file), "utf8")
    for (const [, name = ""] of code.matchAll(/^(?:import|export)\b[^"'\n]*?"([^"]+)";$/gm)) {
      if (name.startsWith("./")) visit(name.slice(2))
      else if (!name.startsWith("node:")) packages.add(name)
    }
  }
  visit(entry)
  const kib = [...files].reduce((sum, file) => sum + fs.statSync(path.join(folder, file)).size, 0) / 1024
  return { packages: [...packages], kib }
}

/** Limits are a fifth above what was measured. */
const entries: ReadonlyArray<{ file: RegExp; kib: number; packages?: ReadonlyArray<string> }> = [
  { file: /^main\.js$/, kib: 2 },
  { file: /^Process-.+\.js$/, kib: 950 },
  { file: /^projections\.worker\.js$/, kib: 840 },
  { file: /^projections\.snapshot\.check\.js$/, kib: 2 },
  { file: /^src\.edges\.api\.requests\.lane\.laneThread\.js$/, kib: 850 },
  { file: /^src\.features\.catalog\.models\.expression\.Thread\.js$/, kib: 215 },
  { file: /^src\.features\.media\.storage\.local\.hashThread\.js$/, kib: 3 },
  { file: /^src\.features\.media\.vision\.worker\.Main\.js$/, kib: 10, packages: ["sharp"] },
  { file: /^streams\.sqlite\.thread\.worker\.js$/, kib: 37 }
]

describe("The bundle", () => {
  for (const { file, kib, packages = [] } of entries) {
    it(`loads little for ${file.source}`, async () => {
      const folder = path.dirname(await Build.main())
      const entry = fs.readdirSync(folder).find((name) => file.test(name))
      assert.isDefined(entry)
      const imports = importsOf(folder, entry ?? "")
      assert.deepStrictEqual(imports.packages, packages)
      assert.isBelow(imports.kib, kib)
    })
  }
})

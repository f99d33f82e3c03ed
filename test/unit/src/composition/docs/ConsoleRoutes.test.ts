import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as ConsoleRoutes from "#src/composition/docs/ConsoleRoutes.ts"

describe("The table of routes that the console has", () => {
  it("is as the server declares them (npm run docs)", () => {
    const file = new URL(`../../../../../${ConsoleRoutes.file}`, import.meta.url)
    assert.strictEqual(fs.readFileSync(file, "utf8"), ConsoleRoutes.text())
  })
})

import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as WireTypes from "#src/composition/docs/WireTypes.ts"

const written = (file: string) => fs.readFileSync(new URL(`../../../../${file}`, import.meta.url), "utf8")

describe("The types that clients have of what travels", () => {
  it("are as the server declares them, in TypeScript (npm run docs)", () => {
    assert.strictEqual(written(WireTypes.typeScriptFile), WireTypes.typeScriptText())
  })

  it("are as the server declares them, in Python (npm run docs)", () => {
    assert.strictEqual(written(WireTypes.pythonFile), WireTypes.pythonText())
  })
})

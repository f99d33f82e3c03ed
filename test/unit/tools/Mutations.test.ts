import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { faults } from "#tools/Faults.ts"
import { planted } from "#tools/Mutations.ts"
import * as TestFiles from "#tools/TestFiles.ts"

describe("The planted faults", () => {
  it.each(faults)("fit the code: $what", (fault) => {
    const text = fs.readFileSync(path.join(TestFiles.root, fault.file), "utf8")
    assert.notStrictEqual(planted(fault, text), text)
  })

  it("have to be renewed where their code has changed", () => {
    const fault = { file: "A.ts", what: "", from: "b", to: "c" }
    assert.strictEqual(planted(fault, "a b"), "a c")
    assert.throws(() => planted(fault, "a"), /expected once in A\.ts/)
    assert.throws(() => planted(fault, "b b"), /expected once/)
  })
})

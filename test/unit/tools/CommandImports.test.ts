import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Imports from "#tools/Imports.ts"

const root = path.resolve(import.meta.dirname, "../../..")

/** What a file loads at once: no types, and nothing that it imports when it needs it. */
const loadedBy = (file: string) => {
  const text = fs.readFileSync(path.join(root, file), "utf8")
  return Imports.importsOf(file, Imports.withoutTypes(text).replaceAll(/\bimport\("/g, ""))
}

/** Each file that is loaded with the first, and which file loads it. */
const loadedWith = (first: string): ReadonlyMap<string, string> => {
  const found = new Map([[first, "the test"]])
  for (const [file] of found) {
    for (const next of loadedBy(file)) if (!found.has(next)) found.set(next, file)
  }
  return found
}

/** Each of them brings the services of a server with it. */
const services = [
  "projections/ReadModels.ts",
  "src/platform/log/ChosenLog.ts",
  "streams/Actors.ts",
  "streams/sqlite/Database.ts",
  "streams/sqlite/SqliteEventStore.ts"
]

describe("a command beside a running server", () => {
  it.each([
    "src/edges/admin/Administration.ts",
    "src/cli/OperatorAccess.ts",
    "src/cli/run/Run.ts",
    "src/cli/files/Files.ts"
  ])("loads no services of the server with %s", (first) => {
    const loaded = loadedWith(first)
    assert.isAbove(loaded.size, 20)
    assert.deepStrictEqual(
      services.flatMap((file) => (loaded.has(file) ? [`${loaded.get(file)} loads ${file}`] : [])),
      []
    )
  })

  it("loads no client for requests list and show", () => {
    const loaded = loadedWith("src/cli/requests/Requests.ts")
    assert.isAbove(loaded.size, 20)
    assert.deepStrictEqual(
      [...loaded.keys()].filter((file) => file.startsWith("clients/")),
      []
    )
  })
})

/** Pipes where manifests are expected. Only a program makes pipes. */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Drafts from "#src/features/manifests/Drafts.ts"
import * as ManifestFiles from "#src/features/manifests/ManifestFiles.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Folder from "#test/support/src/features/manifests/ManifestFolder.ts"

describe("ManifestFiles", () => {
  it.effect("does not block on a pipe, as a schema, a file or the folder", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      const pipe = path.join(folder, "schema.json")
      childProcess.execFileSync("mkfifo", [pipe])
      Folder.write(folder, {
        "a.yaml": Folder.model("acme/one").replace(/inputSchema: .*/, "inputSchema: { $file: schema.json }")
      })
      const { diagnostics } = yield* Drafts.read(yield* ManifestFiles.find(folder))
      assert.deepStrictEqual(
        diagnostics.map(({ message }) => message),
        ["Expected a file"]
      )
      for (const given of [pipe, "/dev/null"]) {
        const error = yield* Effect.flip(ManifestFiles.find(given))
        assert.strictEqual(error.message, `${given}: Expected a folder, or a file`)
      }
    })
  )
})

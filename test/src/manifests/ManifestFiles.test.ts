import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Drafts from "#src/manifests/Drafts.ts"
import * as ManifestFiles from "#src/manifests/ManifestFiles.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Folder from "./ManifestFolder.ts"

const found = (folder: string) =>
  Effect.map(ManifestFiles.find(folder), (files) => files.map(({ name }) => path.relative(folder, name)))

describe("ManifestFiles", () => {
  it.effect("finds manifests in folders and below, by name, and nothing that is hidden", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      Folder.write(folder, {
        "b.yml": "",
        "a/deep/c.json": "",
        "a.yaml": "",
        "read.me": "",
        ".git/x.yaml": "",
        "a/.b.yaml.swp.yaml": ""
      })
      assert.deepStrictEqual(yield* found(folder), ["a.yaml", "a/deep/c.json", "b.yml"])
      assert.deepStrictEqual(yield* found(path.join(folder, "b.yml")), [""])
    })
  )

  it.effect(
    "follows links to files inside the folder, as Kubernetes mounts them, and none that leads out",
    () =>
      Effect.gen(function* () {
        const [folder, outside] = [yield* TempDirectory.make, yield* TempDirectory.make]
        Folder.write(outside, { "secret.yaml": "kind: gpu" })
        Folder.write(folder, { "..v1/a.yaml": Folder.model("acme/one") })
        fs.symlinkSync("..v1", path.join(folder, "..data"))
        fs.symlinkSync(path.join("..data", "a.yaml"), path.join(folder, "a.yaml"))
        fs.symlinkSync(path.join(outside, "secret.yaml"), path.join(folder, "out.yaml"))
        fs.symlinkSync(outside, path.join(folder, "folder.yaml"))
        fs.symlinkSync("gone", path.join(folder, "gone.yaml"))
        assert.deepStrictEqual(yield* found(folder), ["a.yaml"])
        const { drafts } = yield* Drafts.read(yield* ManifestFiles.find(folder))
        assert.deepStrictEqual(
          drafts.map(({ manifest }) => manifest.name),
          ["acme/one"]
        )
      })
  )

  it.effect("reads no schema from outside the folder", () =>
    Effect.gen(function* () {
      const outside = yield* TempDirectory.make
      Folder.write(outside, { "schema.json": "{}" })
      const text = Folder.model("acme/one").replace(
        /inputSchema: .*/,
        `inputSchema: { $file: ${outside}/schema.json }`
      )
      const { lines } = yield* Folder.check({ "a.yaml": text })
      assert.deepStrictEqual(lines, [
        "a.yaml:8:16: inputSchema.$file: Expected a file inside the folder of the manifests"
      ])
    })
  )

  it.effect("refuses files that are too large, or no text", () =>
    Effect.gen(function* () {
      const large = yield* Folder.check({ "a.yaml": `# ${"x".repeat(ManifestFiles.largestFile)}` })
      assert.deepStrictEqual(large.lines, ["a.yaml:1:1: Expected at most 1048576 bytes"])
      const folder = yield* TempDirectory.make
      fs.writeFileSync(path.join(folder, "a.yaml"), Buffer.from([0xff, 0xfe, 0x00]))
      const { problems } = yield* Drafts.read(yield* ManifestFiles.find(folder))
      assert.deepStrictEqual(
        problems.map(({ message }) => message),
        ["Expected text in UTF-8"]
      )
    })
  )

  it.effect("says which path is not there", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ManifestFiles.find("/nowhere/models"))
      assert.strictEqual(error.message, "/nowhere/models: There is no such file or folder")
    })
  )
})

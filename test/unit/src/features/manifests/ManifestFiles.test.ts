import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Drafts from "#src/features/manifests/Drafts.ts"
import * as FileText from "#src/features/manifests/FileText.ts"
import * as ManifestFiles from "#src/features/manifests/ManifestFiles.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Folder from "#test/support/src/features/manifests/ManifestFolder.ts"

const found = (folder: string) =>
  Effect.map(ManifestFiles.find(folder), (files) => files.map(({ name }) => path.relative(folder, name)))

describe("A folder that is checked again", () => {
  it.effect("does not parse unchanged valid files again, or their schemas", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      const text = Folder.model("acme/b").replace(/inputSchema: .*/, "inputSchema: { $file: ./b.json }")
      Folder.write(folder, {
        "a.yaml": Folder.model("acme/a"),
        "b.yaml": text,
        "b.json": '{ "type": "object" }',
        "bad.yaml": "kind: nothing"
      })
      const read = Drafts.reader()
      const next = Effect.gen(function* () {
        const { drafts, diagnostics } = yield* read(yield* ManifestFiles.find(folder))
        assert.lengthOf(diagnostics, 1)
        return drafts
      })
      const [a, b] = yield* next
      const same = yield* next
      assert.isTrue(same[0] === a && same[1] === b)
      Folder.write(folder, { "b.json": '{ "type": "object", "title": "Other" }' })
      const changed = yield* next
      assert.isTrue(changed[0] === a && changed[1] !== b)
      const { manifest } = changed[1] ?? {}
      assert.deepInclude(manifest, { inputSchema: { type: "object", title: "Other" } })
    })
  )
})

describe("ManifestFiles", () => {
  it.effect("finds manifests in folders recursively, by extension, and no hidden ones", () =>
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
    "follows links to files inside the folder, as Kubernetes mounts them, and none that lead outside",
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

  it.effect("rejects files that are too large, or not text", () =>
    Effect.gen(function* () {
      const large = yield* Folder.check({ "a.yaml": `# ${"x".repeat(FileText.largestFile)}` })
      assert.deepStrictEqual(large.lines, ["a.yaml:1:1: Expected at most 1048576 bytes"])
      const folder = yield* TempDirectory.make
      fs.writeFileSync(path.join(folder, "a.yaml"), Buffer.from([0xff, 0xfe, 0x00]))
      const { diagnostics } = yield* Drafts.read(yield* ManifestFiles.find(folder))
      assert.deepStrictEqual(
        diagnostics.map(({ message }) => message),
        ["Expected text in UTF-8"]
      )
    })
  )

  it.effect("reads no file whose folder was replaced by a link", () =>
    Effect.gen(function* () {
      const [folder, outside] = [yield* TempDirectory.make, yield* TempDirectory.make]
      Folder.write(folder, { "a/one.yaml": "good" })
      Folder.write(outside, { "one.yaml": "secret" })
      const [file] = yield* ManifestFiles.find(folder)
      assert.strictEqual(yield* FileText.read(file?.path ?? ""), "good")
      fs.rmSync(path.join(folder, "a"), { recursive: true })
      fs.symlinkSync(outside, path.join(folder, "a"))
      assert.strictEqual(yield* Effect.flip(FileText.read(file?.path ?? "")), "It cannot be read")
      fs.symlinkSync(path.join(outside, "one.yaml"), path.join(folder, "link.yaml"))
      assert.strictEqual(
        yield* Effect.flip(FileText.read(path.join(folder, "link.yaml"))),
        "It cannot be read"
      )
    })
  )

  it.effect("rejects more than 32 levels of folders", () =>
    Effect.gen(function* () {
      const folder = yield* TempDirectory.make
      fs.mkdirSync(path.join(folder, ...Array<string>(31).fill("d")), { recursive: true })
      assert.deepStrictEqual(yield* found(folder), [])
      fs.mkdirSync(path.join(folder, ...Array<string>(32).fill("d")))
      const error = yield* Effect.flip(ManifestFiles.find(folder))
      assert.strictEqual(error.message, `${folder}: Expected at most 32 levels of folders in it`)
    })
  )

  it.effect("names a missing path", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ManifestFiles.find("/nowhere/models"))
      assert.strictEqual(error.message, "/nowhere/models: There is no such file or folder")
    })
  )
})

/** Which releases may use a data directory. */
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as ReleaseFile from "#src/kernel/disk/ReleaseFile.ts"
import { dataFormat } from "#src/kernel/program/DataFormat.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const note = (directory: string, text: string) => fs.writeFileSync(ReleaseFile.fileIn(directory), text)

describe("the release that a data directory names", () => {
  it.effect("is noted once, by the release that raises the format", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      yield* ReleaseFile.record(directory)
      const written = fs.readFileSync(ReleaseFile.fileIn(directory), "utf8")
      assert.deepStrictEqual(JSON.parse(written), { format: dataFormat, release: version })
      const older = JSON.stringify({ format: dataFormat, release: "0.0.9" })
      note(directory, older)
      yield* ReleaseFile.record(directory)
      assert.strictEqual(fs.readFileSync(ReleaseFile.fileIn(directory), "utf8"), older)
      note(directory, JSON.stringify({ format: 1, release: "0.1.0" }))
      yield* ReleaseFile.record(directory)
      assert.strictEqual(fs.readFileSync(ReleaseFile.fileIn(directory), "utf8"), written)
    })
  )

  it.effect("is refused when it wrote a newer format, and the file stays", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const newer = JSON.stringify({ format: dataFormat + 1, release: "9.8.7" })
      note(directory, newer)
      const tooNew = yield* Effect.flip(Layer.build(DataDirectory.layerAt(directory)))
      assert.strictEqual(tooNew._tag, "DataTooNew")
      assert.match(
        tooNew.message,
        /^DATA_DIR: inferlog 9\.8\.7 .+start 9\.8\.7 or newer, or restore a backup/
      )
      assert.strictEqual((yield* Effect.flip(ReleaseFile.record(directory)))._tag, "DataTooNew")
      assert.strictEqual(fs.readFileSync(ReleaseFile.fileIn(directory), "utf8"), newer)
    })
  )

  it.effect.each(["", "{", '{"format":0,"release":"1"}', '{"format":1,"release":"a b"}'])(
    "is not guessed from a damaged file: %s",
    (text) =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        note(directory, text)
        assert.strictEqual((yield* Effect.flip(ReleaseFile.check(directory)))._tag, "ReleaseFileDamaged")
      })
  )
})

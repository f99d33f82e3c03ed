/** What a backup consists of, and what a restore makes of it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Manifest from "#src/features/backup/format/Manifest.ts"
import { dataFormat } from "#src/kernel/program/DataFormat.ts"
import * as ReleaseFile from "#src/kernel/disk/ReleaseFile.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "../log/FilledLog.ts"
import * as Inferlog from "../Inferlog.ts"

const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, DATA_DIR: string) {
  const { code, stderr, stdout } = yield* Inferlog.run([...args, "--json"], { DATA_DIR })
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>
})

const refused = Effect.fnUntraced(function* (args: ReadonlyArray<string>, DATA_DIR: string) {
  const { code, stderr } = yield* Inferlog.run(args, { DATA_DIR })
  assert.strictEqual(code, 1)
  return stderr
})

/** A log of so many events, and paths that do not exist yet. */
const filled = Effect.fnUntraced(function* (count: number) {
  const parent = yield* TempDirectory.make
  const at = (name: string) => path.join(parent, name)
  fs.mkdirSync(at("data"))
  yield* FilledLog.grow(at("data"), "a", count)
  return { at, data: at("data"), target: at("target") }
})

const manifestIn = (target: string) =>
  Manifest.parse(fs.readFileSync(path.join(target, "manifest.json"), "utf8"))

describe("the files of a backup", () => {
  it.live("name the release that can read them", () =>
    Effect.gen(function* () {
      const { at, data, target } = yield* filled(3)
      yield* ReleaseFile.note(data, { format: 1, release: "0.0.9" })
      yield* run(["backup", target, "--without-keys"], data)
      yield* run(["restore", target, "--without-keys"], at("older"))
      assert.deepStrictEqual(yield* ReleaseFile.read(at("older")), { format: 1, release: "0.0.9" })

      const manifest = yield* manifestIn(target)
      const newer = { ...manifest, data: { format: dataFormat + 1, release: "99.0.0" } }
      fs.writeFileSync(path.join(target, "manifest.json"), Manifest.render(newer))
      assert.match(
        yield* refused(["restore", target, "--without-keys"], at("newer")),
        /SOURCE: inferlog 99.0.0 has written data in format/
      )
      assert.isFalse(fs.existsSync(at("newer")))
    })
  )
})

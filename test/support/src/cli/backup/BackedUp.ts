/** Logs, backups of them, and what these contain. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Manifest from "#src/features/backup/format/Manifest.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "#test/support/src/cli/log/FilledLog.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, DATA_DIR: string) {
  const { code, stderr, stdout } = yield* Inferlog.run([...args, "--json"], { DATA_DIR })
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>
})

export const refused = Effect.fnUntraced(function* (args: ReadonlyArray<string>, DATA_DIR: string) {
  const { code, stderr } = yield* Inferlog.run(args, { DATA_DIR })
  assert.strictEqual(code, 1)
  return stderr
})

/** A log of so many events, and paths that do not exist yet. */
export const filled = Effect.fnUntraced(function* (count: number) {
  const parent = yield* TempDirectory.make
  const at = (name: string) => path.join(parent, name)
  fs.mkdirSync(at("data"))
  yield* FilledLog.grow(at("data"), "a", count)
  return { at, data: at("data"), target: at("target") }
})

export const manifestIn = (target: string) =>
  Manifest.parse(fs.readFileSync(path.join(target, "manifest.json"), "utf8"))

export const filesBelow = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted()

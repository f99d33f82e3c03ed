/** C libraries that a process of these tests and benchmarks is started with, to intercept its system calls. */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import { Effect } from "effect"
import * as ScratchDirectory from "../ScratchDirectory.ts"

/** Whether they cannot be built here. */
export const isMissing: boolean =
  process.platform !== "linux" || childProcess.spawnSync("cc", ["--version"]).status !== 0

/** The name of a test that needs one. A skipped test's name says why. */
export const named = (name: string): string =>
  isMissing ? `${name} (skipped: needs Linux and a C compiler, cc)` : name

/** Builds a source of this folder for `LD_PRELOAD`. Returns its filename. */
export const build = Effect.fnUntraced(function* (source: string) {
  const library = path.join(yield* ScratchDirectory.make, `${source}.so`)
  const options = ["-shared", "-fPIC", "-O1", "-o", library, path.join(import.meta.dirname, source), "-ldl"]
  yield* Effect.sync(() => childProcess.execFileSync("cc", options, { stdio: "inherit" }))
  return library
})

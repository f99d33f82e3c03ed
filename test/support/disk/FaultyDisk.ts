/** A disk that fails or is slow, for one process: a C library that intercepts system calls. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const source = path.join(import.meta.dirname, "FaultyDisk.c")

/** Whether it cannot be built here. */
export const isMissing: boolean =
  process.platform !== "linux" || childProcess.spawnSync("cc", ["--version"]).status !== 0

/** The name of a test that needs it. A skipped test's name says why. */
export const named = (name: string): string =>
  isMissing ? `${name} (skipped: needs Linux and a C compiler, cc)` : name

interface Rule {
  readonly on: "write" | "sync"
  /** A part of the files' paths; with `$` at the end, their ending. */
  readonly path: string
  /** `os.constants.errno`; 0 by default. */
  readonly errno?: number
  readonly delayMs?: number
}

interface FaultyDisk {
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string>>
  /** Takes effect at the next call. The last matching rule counts. */
  readonly set: (...rules: ReadonlyArray<Rule>) => void
}

const build = Effect.fnUntraced(function* (library: string) {
  const options = ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]
  yield* Effect.sync(() => childProcess.execFileSync("cc", options, { stdio: "inherit" }))
})

/** Builds the library. The disk works at first. */
export const make = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const library = path.join(directory, "FaultyDisk.so")
  const rules = path.join(directory, "rules")
  yield* build(library)
  const set: FaultyDisk["set"] = (...next) => {
    const lines = next.map(({ on, path, errno = 0, delayMs = 0 }) => `${on} ${path} ${errno} ${delayMs}\n`)
    fs.writeFileSync(`${rules}.next`, lines.join(""))
    fs.renameSync(`${rules}.next`, rules)
  }
  const disk: FaultyDisk = { env: { LD_PRELOAD: library, FAULTY_DISK: rules }, set }
  return disk
})

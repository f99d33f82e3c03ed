/** A disk that fails or is slow, for one process. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import * as PreloadedLibrary from "./PreloadedLibrary.ts"

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

/** The disk works at first. */
export const make = Effect.gen(function* () {
  const library = yield* PreloadedLibrary.build("FaultyDisk.c")
  const rules = path.join(path.dirname(library), "rules")
  const set: FaultyDisk["set"] = (...next) => {
    const lines = next.map(({ on, path, errno = 0, delayMs = 0 }) => `${on} ${path} ${errno} ${delayMs}\n`)
    fs.writeFileSync(`${rules}.next`, lines.join(""))
    fs.renameSync(`${rules}.next`, rules)
  }
  const disk: FaultyDisk = { env: { LD_PRELOAD: library, FAULTY_DISK: rules }, set }
  return disk
})

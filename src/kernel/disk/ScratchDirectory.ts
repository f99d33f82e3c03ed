/** The directory of temporary files: `tmp` in the data directory. A start removes what a killed process left. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Context, Effect, Layer } from "effect"
import { DataDirectory, DataDirectoryUnusable } from "./DataDirectory.ts"

/** Its absolute path. Every file in it belongs to a scope of this process. */
export class ScratchDirectory extends Context.Service<ScratchDirectory, string>()(
  "inferlog/src/kernel/disk/ScratchDirectory"
) {
  /** Empties the directory. Build it once, in the process that holds the lock of the data directory. */
  static readonly layer = Layer.effect(
    ScratchDirectory,
    Effect.gen(function* () {
      const directory = path.join(yield* DataDirectory, "tmp")
      return yield* Effect.tryPromise({
        try: async () => {
          await fs.rm(directory, { recursive: true, force: true })
          await fs.mkdir(directory, { mode: 0o700 })
          return directory
        },
        catch: (cause) => new DataDirectoryUnusable({ directory, cause })
      })
    })
  )
}

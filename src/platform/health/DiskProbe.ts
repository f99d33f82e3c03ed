/** Tests whether a directory accepts writes. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"

/** The size of a small commit: pages of the file and of its journal. */
const bytes = 64 * 1024

/** `true` when 64 KiB could be written and synced. Removes the test file. */
export const hasRoom = (directory: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    const file = path.join(directory, ".probe")
    try {
      await fs.writeFile(file, Buffer.alloc(bytes), { mode: 0o600, flush: true })
      return true
    } catch {
      return false
    } finally {
      await fs.rm(file, { force: true }).catch(() => {})
    }
  })

/** Tries whether a directory takes bytes. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"

/** What a small commit takes: pages of the file and of its journal. */
const bytes = 64 * 1024

/** True when 64 KiB could be written and synced there. Leaves nothing behind. */
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

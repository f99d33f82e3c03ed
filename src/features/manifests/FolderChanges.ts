/** That something may have changed below a folder, told by the system where it can tell. */
import * as fs from "node:fs"
import { Effect, Queue } from "effect"

/**
 * Takes one change at a time, however many there were since the last. Not every file system tells of changes, and a folder
 * that is replaced is not told of any more: whoever waits looks from time to time, too.
 */
export const make = Effect.fnUntraced(function* (folder: string) {
  const changes = yield* Queue.sliding<void>(1)
  const tell = () => void Queue.offerUnsafe(changes, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      try {
        const watcher = fs.watch(folder, { recursive: true, persistent: false }, tell)
        // A folder that went away ends the watching, not the server.
        watcher.on("error", () => watcher.close())
        return watcher
      } catch {
        return null
      }
    }),
    (watcher) => Effect.sync(() => watcher?.close())
  )
  return Queue.take(changes)
})

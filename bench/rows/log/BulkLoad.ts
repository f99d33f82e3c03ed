/** The appends of T5's subjects, and their timing. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Array } from "effect"
import type { Append } from "#streams/EventStore.ts"
import * as RequestLives from "./RequestLives.ts"
import * as Work from "./Work.ts"

const batchesAPiece = 100

/** An empty directory that is removed when the process ends. */
export const directory = (): string => {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-bench-"))
  process.on("exit", () => fs.rmSync(made, { recursive: true, force: true }))
  return made
}

export const serve = (write: (batch: ReadonlyArray<Append>) => void | Promise<void>): void => {
  const nextBatch = RequestLives.makeBatches()
  Work.serve(() => {
    const batches = Array.makeBy(batchesAPiece, nextBatch)
    return Work.timed(async () => {
      let events = 0
      for (const batch of batches) {
        await write(batch)
        for (const append of batch) events += append.events.length
      }
      return events
    })
  })
}

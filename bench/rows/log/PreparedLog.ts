/** A log of many events, filled once and kept in `bench/.cache` for as long as what it is made of stays the same. */
import * as childProcess from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import { BenchFailed } from "../../harness/Subject.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const cache = path.join(root, "bench/.cache")

/** Sources of the events and of the tables that they are in. */
const sources = [
  "bench/rows/log/RequestLives.ts",
  "domain/inference-request/Event.ts",
  "streams/EventChain.ts",
  "streams/sqlite/Schema.ts"
]

const version = () => {
  const hash = crypto.createHash("sha256")
  for (const source of sources) hash.update(fs.readFileSync(path.join(root, source)))
  return hash.digest("hex").slice(0, 8)
}

/** Its data directory: a log, `log.head`, and nothing else. */
export const directoryOf = (requests: number): string => path.join(cache, `log-${requests}-${version()}`)

export const filename = (directory: string): string => SqliteEventStore.files(directory).log

/** Fills the log unless it is there. Each request is about five events. */
export const fill = (requests: number): Effect.Effect<string, BenchFailed> =>
  Effect.callback((resume) => {
    const directory = directoryOf(requests)
    if (fs.existsSync(directory)) return resume(Effect.succeed(directory))
    fs.mkdirSync(cache, { recursive: true })
    const filling = fs.mkdtempSync(path.join(cache, "filling-"))
    const child = childProcess.fork(path.join(import.meta.dirname, "FillLog.ts"), [filling, String(requests)])
    child.once("exit", (code) => {
      if (code !== 0) {
        fs.rmSync(filling, { recursive: true })
        return resume(Effect.fail(new BenchFailed({ reason: `Filling a log ended with ${code}` })))
      }
      fs.renameSync(filling, directory)
      resume(Effect.succeed(directory))
    })
    return Effect.sync(() => child.kill())
  })

/** Data directories of one account with many events or many waiting requests, and current read models. */
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as Program from "../../harness/Program.ts"
import * as Progress from "../../harness/Progress.ts"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import { BenchFailed } from "../../harness/Subject.ts"
import * as Inferlog from "../../subjects/Inferlog.ts"
import * as Cached from "../log/Cached.ts"
import * as Child from "../log/Child.ts"
import * as Replaying from "../log/Replaying.ts"

export interface Seed {
  readonly requests: number
  /** They wait for this model; `null` if they are complete. */
  readonly waitsFor: string | null
}

export const eventsPerRequest = 5

const folders = ["domain", "projections", "streams/sqlite"]

/** All that the read models are made of, so that the server has nothing to rebuild. */
const sources = [
  "bench/rows/growth/Seeded.ts",
  "bench/rows/log/RequestLives.ts",
  "streams/EventChain.ts",
  ...folders.flatMap((folder) =>
    fs
      .readdirSync(path.join(Program.root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => path.join(folder, file))
      .toSorted()
  )
]

/** A query of the log of a directory. */
const rows = (directory: string, sql: string, ...params: ReadonlyArray<number>) => {
  const db = new DatabaseSync(LogFiles.files(directory).log, { readOnly: true })
  try {
    return db.prepare(sql).all(...params)
  } finally {
    db.close()
  }
}

/** The part of a stream's name after its category. */
const idOf = (stream: unknown) => String(stream).slice(String(stream).indexOf("-") + 1)

const fill = ({ requests, waitsFor }: Seed) =>
  Effect.fnUntraced(function* (directory: string) {
    yield* Progress.say(
      `  preparing ${requests} requests${waitsFor === null ? "" : ` that wait for ${waitsFor}`}`
    )
    // Opens the account.
    yield* Effect.scoped(Inferlog.serveIn(directory))
    const [opened] = rows(directory, "SELECT stream FROM events WHERE type = 'AccountOpened'")
    const owner = idOf(opened?.["stream"])
    const model = waitsFor === null ? [] : [waitsFor]
    const filler = new URL("../log/FillLog.ts", import.meta.url)
    yield* Child.run(filler, [directory, String(requests), owner, ...model])
    yield* Replaying.into(path.join(directory, "projections.sqlite")).pipe(
      Effect.provide(SqliteEventReader.layer({ filename: LogFiles.files(directory).log })),
      Effect.mapError((error) => new BenchFailed({ reason: error.message }))
    )
  })

/** Otherwise the kernel would write a large copy to the disk while it is measured. */
const sync = (directory: string) => {
  for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = fs.openSync(path.join(entry.parentPath, entry.name), "r+")
    fs.fsyncSync(file)
    fs.closeSync(file)
  }
}

/** A copy that is removed with the scope. */
export const copy = Effect.fnUntraced(function* (seed: Seed) {
  const name = `seed-${seed.requests}-${(seed.waitsFor ?? "complete").replace("/", "-")}`
  const seeded = yield* Cached.filled(Cached.directoryOf(name, sources), fill(seed))
  const directory = yield* ScratchDirectory.make
  yield* Effect.sync(() => {
    fs.cpSync(seeded, directory, { recursive: true })
    sync(directory)
  })
  return directory
})

/** Ids of `count` requests, spread over the whole log. */
export const ids = (directory: string, count: number): ReadonlyArray<string> => {
  const [end] = rows(directory, "SELECT max(position) AS position FROM events")
  const apart = Math.max(1, Math.floor(Number(end?.["position"]) / count))
  const found = rows(
    directory,
    `SELECT DISTINCT stream FROM events WHERE stream LIKE 'InferenceRequest-%' AND position % ? = 0 LIMIT ${count}`,
    apart
  )
  return found.map(({ stream }) => idOf(stream))
}

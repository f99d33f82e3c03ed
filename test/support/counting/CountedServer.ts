/**
 * A server in a process of its own whose work is counted, and a client whose load is the same on any machine: a fixed number
 * of requests reaches the server at once, and the next ones follow when those are answered and applied.
 */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import * as readline from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { Array, Effect } from "effect"
import * as FreePort from "#bench/harness/FreePort.ts"
import * as LoadConnection from "#bench/harness/LoadConnection.ts"
import * as ScratchDirectory from "#bench/harness/ScratchDirectory.ts"
import * as PreloadedLibrary from "#bench/harness/disk/PreloadedLibrary.ts"
import * as StoredCheckpoints from "#projections/runner/StoredCheckpoints.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import type { ThreadCounts } from "./ThreadCounts.ts"
import * as Until from "#test/support/Until.ts"

/** Requests that reach the server at once. */
const together = 32

const preload = path.join(import.meta.dirname, "Preload.ts")

/** Few collections, so that few allocations are hidden behind what is freed meanwhile. */
const flags = ["--max-semi-space-size=64", "--import", preload]

/** The threads of the server by the folder of their module. All other modules run in the main thread. */
const threads: Readonly<Record<string, string>> = {
  "streams/sqlite/thread": "log",
  projections: "read models"
}

/** Counts by name. */
export type Counts = ReadonlyMap<string, number>

const add = (counts: Map<string, number>, name: string, more: number) =>
  counts.set(name, (counts.get(name) ?? 0) + more)

const metric = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1] ?? 0)

const until = (fact: () => boolean) => Until.holds("a fact of the server", fact, fact, Until.processes)

const fork = (entry: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = childProcess.spawn(process.execPath, [...flags, ...entry], {
        cwd: ServerProcess.root,
        env: { PATH: process.env["PATH"], ...env },
        stdio: ["ignore", "pipe", "ignore", "ipc"]
      })
      const { stdout } = child
      if (stdout === null) throw new Error("the server has no stdout")
      for await (const line of readline.createInterface({ input: stdout }))
        if (line.includes(" serves at ")) break
      stdout.resume()
      return child
    }),
    (child) =>
      Effect.promise(async () => {
        child.kill("SIGKILL")
        await once(child, "exit")
      })
  )

/** @param entry the program and its arguments. */
export const make = Effect.fnUntraced(function* (entry: ReadonlyArray<string>) {
  const directory = yield* ScratchDirectory.make
  const port = yield* FreePort.find
  const syncs = path.join(directory, "syncs")
  const library = PreloadedLibrary.isMissing ? undefined : yield* PreloadedLibrary.build("SyncCounter.c")
  const child = yield* fork(entry, {
    DATA_DIR: directory,
    HOST: "127.0.0.1",
    PORT: String(port),
    BOOTSTRAP_API_KEY: ServerProcess.apiKey,
    BOOTSTRAP_BALANCE: "1000000",
    ...(library !== undefined && { LD_PRELOAD: library, COUNTED_SYNCS: syncs })
  })
  const url = `http://127.0.0.1:${port}`
  const fail = (error: Error) => {
    throw error
  }
  const connections = yield* Effect.forEach(Array.range(1, together), () =>
    Effect.acquireRelease(
      Effect.promise(() => LoadConnection.open(port, fail)),
      ({ close }) => Effect.sync(close)
    )
  )
  const log = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(path.join(directory, "log.sqlite"), { readOnly: true })),
    (db) => Effect.sync(() => db.close())
  )
  const end = log.prepare("SELECT max(position) AS position FROM events")
  const ended = log.prepare(
    "SELECT count(*) AS requests FROM events WHERE type = 'RequestCompleted' AND position > ?"
  )

  const head = () => Number(end.get()?.["position"] ?? 0)
  const completed = (after: number) => Number(ended.get(after)?.["requests"])
  const isApplied = () => {
    const checkpoints = StoredCheckpoints.read(path.join(directory, "projections.sqlite"))
    return [...checkpoints.values()].every(({ position }) => Number(position) === head())
  }

  /** What the server has done so far, with what follows from it in its read models. */
  const counts = Effect.gen(function* () {
    yield* until(isApplied)
    return yield* Effect.promise(async (): Promise<Counts> => {
      const metrics = await (await fetch(`${url}/metrics`)).text()
      const answer = once(child, "message")
      child.send("count")
      const [found]: Array<ReadonlyArray<ThreadCounts>> = await answer
      const counts = new Map<string, number>()
      for (const { bytes, fibers, folder, statements } of found ?? []) {
        const thread = threads[folder] ?? "main"
        add(counts, `statements, ${thread}`, statements)
        add(counts, `kB allocated, ${thread}`, bytes / 1_000)
        if (thread === "main") add(counts, "fibers", fibers)
      }
      counts.set("events", metric(metrics, "inferlog_events_appended_total"))
      counts.set("appends", metric(metrics, "inferlog_append_batch_size_sum"))
      counts.set("commits", metric(metrics, "inferlog_append_batch_size_count"))
      if (library !== undefined) counts.set("syncs", fs.readFileSync(syncs, "utf8").split("\n").length)
      return counts
    })
  })

  /** While the server is stopped, all requests are sent, so that it finds them together. */
  const sendTogether = (requests: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      child.kill("SIGSTOP")
      const answers = Array.zipWith(requests, connections, (request, { send }) => {
        const answer = Promise.withResolvers<number>()
        send(request, answer.resolve)
        return answer.promise
      })
      child.kill("SIGCONT")
      return Promise.all(answers)
    })

  /** Sends `request` that many times. With `completes`, waits until the requests that it submits are complete. */
  const send = Effect.fnUntraced(function* (
    { completes = false, request, status = 200 }: Repeated,
    times: number
  ) {
    for (let sent = 0; sent < times; sent += together) {
      const before = head()
      const statuses = yield* sendTogether(Array.makeBy(Math.min(together, times - sent), () => request))
      const wrong = statuses.find((found) => found !== status)
      if (wrong !== undefined) return yield* Effect.die(`expected status ${status}, got ${wrong}`)
      if (completes) yield* until(() => completed(before) >= statuses.length)
    }
  })

  return { url, counts, send }
})

export interface Repeated {
  readonly request: string
  readonly status?: number
  readonly completes?: boolean
}

export type CountedServer = Effect.Success<ReturnType<typeof make>>

/** Enough for hot functions to be compiled. */
const warmUp = 2_048
const measured = 2_048

/** What one request costs. */
export const costs = Effect.fnUntraced(function* ({ counts, send }: CountedServer, repeated: Repeated) {
  yield* send(repeated, warmUp)
  const before = yield* counts
  yield* send(repeated, measured)
  const after = yield* counts
  return Array.map(
    [...after],
    ([name, count]) => [name, (count - (before.get(name) ?? 0)) / measured] as const
  )
})

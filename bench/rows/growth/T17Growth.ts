/**
 * How cost grows: T17 with the log, T18 with the queue. The same work on a large and on a small data directory, measured in
 * turn. `REQUESTS` is the number of the large one's requests.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import * as HttpSubject from "../../harness/HttpSubject.ts"
import * as Metering from "../../harness/Metering.ts"
import * as ProcessTree from "../../harness/ProcessTree.ts"
import * as RequestText from "../../harness/RequestText.ts"
import type { BenchFailed, Measurement, Row, Started, Subject } from "../../harness/Subject.ts"
import * as Inferlog from "../../subjects/Inferlog.ts"
import * as Starting from "../../subjects/Starting.ts"
import * as T1Submit from "../T1Submit.ts"
import * as Seeded from "./Seeded.ts"

interface Sizes {
  /** Requests of the directories. */
  readonly small: number
  readonly large: number
  readonly warmUpSeconds?: number
}

/** The most that a cost may grow from the small to the large directory. */
const most = 1.2

const connections = 32

/** How the same is measured on a data directory. */
type Measuring = (
  name: string,
  role: Subject["role"],
  seed: Seeded.Seed,
  warmUpSeconds?: number
) => Effect.Effect<Started, BenchFailed, Scope.Scope>

const count = (value: number): string => value.toLocaleString("en-US")

const row =
  (what: string, unit: string, waitsFor: string | null, measuring: Measuring, isMemory = false) =>
  ({ large, small, warmUpSeconds }: Sizes): Row => {
    const nameOf = (requests: number) =>
      waitsFor === null ? `${count(requests * Seeded.eventsPerRequest)} events` : `${count(requests)} waiting`
    const of = (requests: number, role: Subject["role"]): Subject => ({
      name: nameOf(requests),
      role,
      start: measuring(nameOf(requests), role, { requests, waitsFor }, warmUpSeconds)
    })
    const first = nameOf(small)
    return {
      id: waitsFor === null ? "T17" : "T18",
      title: `Growth to ${nameOf(large)}: ${what}`,
      unit,
      subjects: [of(large, "ours"), of(small, "floor")],
      targets: { [first]: Math.round(100 / most) / 100 },
      cpuTargets: { [first]: most },
      ...(isMemory ? { peakTargets: { [first]: most } } : {})
    }
  }

/** Under a load of requests that are made for the directory. */
const loaded =
  (requests: (directory: string) => ReadonlyArray<string>): Measuring =>
  (name, role, seed, warmUpSeconds) =>
    Effect.gen(function* () {
      const directory = yield* Seeded.copy(seed)
      return yield* HttpSubject.make({
        name,
        role,
        serve: Inferlog.serveIn(directory, undefined, T1Submit.settings),
        load: () => Effect.succeed({ requests: requests(directory), status: 200 }),
        connections,
        ...(warmUpSeconds !== undefined && { warmUpSeconds })
      }).start
    }).pipe(Effect.catchTag("Unavailable", Effect.die))

const submit = loaded(() => [T1Submit.request])

/** More than are in the server's memory at first. */
const polled = 2_000

const statusOf = (model: string) =>
  loaded((directory) =>
    Seeded.ids(directory, polled).map((id) =>
      RequestText.get(`/${model}/requests/${id}/status`, Inferlog.authorization)
    )
  )

const firstPage = loaded(() => [RequestText.get("/requests?limit=20", Inferlog.authorization)])

/** From the start of the process to `/health`, and the memory at rest. */
const start: Measuring = (_name, _role, seed) =>
  Effect.gen(function* () {
    const directory = yield* Seeded.copy(seed)
    const measure = () =>
      Effect.gen(function* () {
        const { elapsedMs, server } = yield* Starting.timed(
          Inferlog.serveIn(directory, undefined, T1Submit.settings)
        )
        yield* Metering.settle(server.pids)
        const measurement: Measurement = {
          operations: 1,
          elapsedMs,
          cpuMs: ProcessTree.cpuMs(server.pids),
          peakRssBytes: ProcessTree.rssBytes(server.pids)
        }
        return measurement
      }).pipe(Effect.scoped)
    yield* measure()
    return { measure }
  })

const pollMs = 20

/** Waiting requests that the server completes after its start, each time on a new copy. */
const dispatch: Measuring = (_name, _role, seed) =>
  Effect.succeed({
    measure: (seconds) =>
      Effect.gen(function* () {
        const directory = yield* Seeded.copy(seed)
        const server = yield* Inferlog.serveIn(directory)
        const log = yield* Effect.acquireRelease(
          Effect.sync(() => new DatabaseSync(`${directory}/log.sqlite`, { readOnly: true })),
          (db) => Effect.sync(() => db.close())
        )
        const ends = log.prepare(
          "SELECT count(*) AS requests FROM events WHERE type = 'RequestCompleted' AND position > ?"
        )
        const head = log.prepare("SELECT max(position) AS position FROM events")
        const before = Number(head.get()?.["position"])
        const cpuBefore = ProcessTree.cpuMs(server.pids)
        const began = performance.now()
        const completed = () => Number(ends.get(before)?.["requests"])
        yield* Effect.delay(Effect.sync(completed), pollMs).pipe(
          Effect.repeat({
            until: (requests) => requests >= seed.requests / 2 || performance.now() - began >= seconds * 1_000
          })
        )
        const measurement: Measurement = {
          operations: completed(),
          elapsedMs: performance.now() - began,
          cpuMs: ProcessTree.cpuMs(server.pids) - cpuBefore,
          peakRssBytes: ProcessTree.peakRssBytes(server.pids)
        }
        return measurement
      }).pipe(Effect.scoped)
  })

/** Waits for workers. */
const waiting = "bench/queued"

export const rowsOf = (sizes: Sizes): ReadonlyArray<Row> =>
  [
    row("submit", "requests", null, submit),
    row("status", "requests", null, statusOf("sandbox/echo")),
    row("first page of the history", "pages", null, firstPage),
    row("start, and memory at rest", "starts", null, start, true),
    row("submit", "requests", waiting, submit),
    row("status", "requests", waiting, statusOf(waiting)),
    row("first page of the history", "pages", waiting, firstPage),
    row("start, and memory at rest", "starts", waiting, start, true),
    row("dispatch", "requests", "sandbox/echo", dispatch)
  ].map((rowOf) => rowOf(sizes))

/** The small directory grows while it is measured: 2,000 requests are 10,000 events. */
export const rows = rowsOf({ small: 2_000, large: Number(process.env["REQUESTS"] ?? 20_000) })

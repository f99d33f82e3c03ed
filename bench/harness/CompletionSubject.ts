/**
 * A server that runs submitted requests, measured until all are complete. Completions are counted in its log, a SQLite file
 * with a table of events, so that they are durable and counting puts no load on the server.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import * as LoadClient from "./LoadClient.ts"
import * as HttpSubject from "./HttpSubject.ts"
import * as Metering from "./Metering.ts"
import { BenchFailed, type Subject, type Unavailable } from "./Subject.ts"

interface RunningServer extends HttpSubject.HttpServer {
  /** The log's file. */
  readonly log: string
}

export interface Options {
  readonly name: string
  readonly role: Subject["role"]
  readonly serve: Effect.Effect<RunningServer, BenchFailed | Unavailable, Scope.Scope>
  readonly request: string
  readonly connections: number
}

/** Time between reads of the log in ms: under load, and while waiting for the last completion. */
const pollMs = 50
const pollForLastMs = 5
/** Time limit for accepted requests to complete. */
const patienceMs = 60_000

/** Returns the number of completions so far. Each call reads only new events. */
const countCompleted = (filename: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(filename, { readOnly: true })),
      (db) => Effect.sync(() => db.close())
    ),
    (db) => {
      const news = db.prepare(
        "SELECT count(*) FILTER (WHERE type = 'RequestCompleted') AS completed, max(position) AS last FROM events WHERE position > ?"
      )
      let last = 0
      let completed = 0
      return Effect.sync(() => {
        const row = news.get(last)
        last = Number(row?.["last"] ?? last)
        completed += Number(row?.["completed"] ?? 0)
        return completed
      })
    }
  )

export const make = ({ connections, name, request, role, serve }: Options): Subject => ({
  name,
  role,
  start: Effect.gen(function* () {
    const server = yield* serve
    const run = yield* LoadClient.start(name)
    const completed = yield* countCompleted(server.log)

    /** ms until the log holds `wanted` completions. */
    const lagUntil = Effect.fnUntraced(function* (wanted: number) {
      const since = performance.now()
      yield* Effect.delay(completed, pollForLastMs).pipe(
        Effect.repeat({ until: (count) => count >= wanted }),
        Effect.timeoutOrElse({
          duration: patienceMs,
          orElse: () => Effect.fail(new BenchFailed({ reason: `${name} did not complete what it accepted` }))
        })
      )
      return performance.now() - since
    })

    const submitAndAwait = Effect.fnUntraced(function* (seconds: number) {
      const before = yield* completed
      const load = { ports: [server.port], connections, seconds, requests: [request], status: 200 } as const
      const accepted = yield* Effect.raceFirst(run(load), Effect.forever(Effect.delay(completed, pollMs)))
      const completedMeanwhile = (yield* completed) - before
      const lagMs = yield* lagUntil(before + accepted.operations)
      return {
        ...accepted,
        elapsedMs: accepted.elapsedMs + lagMs,
        notes: {
          "completed by the last answer, %": (100 * completedMeanwhile) / accepted.operations,
          "from the last answer to the last completion, ms": lagMs
        }
      }
    })

    const measure = (seconds: number) => Metering.meter(server.pids, submitAndAwait(seconds))
    yield* measure(HttpSubject.defaultWarmUpSeconds)
    return { measure }
  })
})

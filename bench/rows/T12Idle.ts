/**
 * T12: an empty server from the start of its process to `/health`, its memory at rest, and the time of a command. The floor is
 * the start of straight code.
 */
import { Duration, Effect, type Scope } from "effect"
import * as Metering from "../harness/Metering.ts"
import * as ProcessTree from "../harness/ProcessTree.ts"
import type { BenchFailed, Measurement, Row, Subject } from "../harness/Subject.ts"
import * as Commands from "../subjects/Commands.ts"
import * as Inferlog from "../subjects/Inferlog.ts"
import * as Starting from "../subjects/Starting.ts"
import * as Straight from "../subjects/Straight.ts"

const atRest = "resident at rest, MiB"

interface Started {
  readonly pids: ReadonlyArray<number>
  readonly elapsedMs: number
}

/** A subject whose operation is a start. The server is stopped each time. */
const starting = (
  name: string,
  role: Subject["role"],
  start: Effect.Effect<Started, BenchFailed, Scope.Scope>
): Subject => {
  const startAndStop = Effect.gen(function* () {
    const { elapsedMs, pids } = yield* start
    yield* Metering.settle(pids)
    const measurement: Measurement = {
      operations: 1,
      elapsedMs,
      cpuMs: ProcessTree.cpuMs(pids),
      peakRssBytes: ProcessTree.peakRssBytes(pids),
      notes: { [atRest]: ProcessTree.rssBytes(pids) / 2 ** 20 }
    }
    return measurement
  }).pipe(Effect.scoped)
  // The first start fills caches.
  return { name, role, start: Effect.as(startAndStop, { measure: () => startAndStop }) }
}

const start: Row = {
  id: "T12",
  title: "Start without events",
  unit: "starts",
  subjects: [
    starting(
      "inferlog",
      "ours",
      Effect.map(Starting.timed(Inferlog.serve()), ({ elapsedMs, server: { pids } }) => ({ elapsedMs, pids }))
    ),
    starting(
      Straight.name,
      "floor",
      Effect.map(Effect.timed(Straight.serve("none")), ([took, { pids }]) => ({
        elapsedMs: Duration.toMillis(took),
        pids
      }))
    )
  ],
  targets: {},
  limits: { operationMs: 600, notes: { [atRest]: Inferlog.maxIdleMiB } }
}

const commandRow = (args: ReadonlyArray<string>): Row => ({
  id: "T12",
  title: `Command: inferlog ${args.join(" ")}`,
  unit: "commands",
  subjects: [
    {
      name: "inferlog",
      role: "ours",
      start: Effect.gen(function* () {
        const { dataDirectory } = yield* Inferlog.serve()
        const measure = Effect.fnUntraced(function* (seconds: number) {
          const began = performance.now()
          let operations = 0
          do {
            yield* Commands.run(args, dataDirectory)
            operations++
          } while (performance.now() - began < seconds * 1_000)
          const measurement: Measurement = {
            operations,
            elapsedMs: performance.now() - began,
            cpuMs: 0,
            peakRssBytes: 0
          }
          return measurement
        })
        yield* measure(1)
        return { measure }
      })
    }
  ],
  targets: {},
  limits: { operationMs: 200 }
})

export const rows: ReadonlyArray<Row> = [start, commandRow(["--version"]), commandRow(["keys", "list"])]

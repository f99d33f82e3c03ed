/** T12: an empty server from the start of its process to `/health`, its memory at rest, and the time of a command. */
import { Effect } from "effect"
import * as Metering from "../harness/Metering.ts"
import * as ProcessTree from "../harness/ProcessTree.ts"
import type { Measurement, Row } from "../harness/Subject.ts"
import * as Commands from "../subjects/Commands.ts"
import * as Inferlog from "../subjects/Inferlog.ts"
import * as Starting from "../subjects/Starting.ts"

const atRest = "resident at rest, MiB"

/** Starts a server on a new data directory and stops it. */
const startAndStop = Effect.gen(function* () {
  const { elapsedMs, server } = yield* Starting.timed(Inferlog.serve())
  yield* Metering.settle(server.pids)
  const measurement: Measurement = {
    operations: 1,
    elapsedMs,
    cpuMs: ProcessTree.cpuMs(server.pids),
    peakRssBytes: ProcessTree.peakRssBytes(server.pids),
    notes: { [atRest]: ProcessTree.rssBytes(server.pids) / 2 ** 20 }
  }
  return measurement
}).pipe(Effect.scoped)

const start: Row = {
  id: "T12",
  title: "Start without events",
  unit: "starts",
  subjects: [
    {
      name: "inferlog",
      role: "ours",
      start: Effect.as(startAndStop, { measure: () => startAndStop })
    }
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

/** T11: the cost of an idle event stream. */
import { Duration, Effect } from "effect"
import * as Metering from "../../harness/Metering.ts"
import * as Program from "../../harness/Program.ts"
import * as ProcessTree from "../../harness/ProcessTree.ts"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import type { Measurement, Row } from "../../harness/Subject.ts"
import * as Inferlog from "../../subjects/Inferlog.ts"
import * as Scales from "../../subjects/Scales.ts"
import * as StreamReaders from "../../subjects/streams/StreamReaders.ts"

const command = ["bench/subjects/streams/StreamServer.ts"]

/** Reduces log lines, because stdout carries the answers. */
const quiet = { LOG_LEVEL: "Warn" }

/**
 * Streams opened before the measurement, so that V8's young generation, which is no stream's cost, has reached its full size.
 */
const before = 2_000

const rowOf = (streams: number): Row => ({
  id: "T11",
  title: `${streams} idle streams`,
  unit: "streams",
  subjects: [
    {
      name: "inferlog",
      role: "ours",
      start: Effect.succeed({
        measure: Effect.fnUntraced(function* () {
          const directory = yield* ScratchDirectory.make
          const { pids, port, program } = yield* Inferlog.serveIn(directory, command, quiet)
          const readers = yield* StreamReaders.start
          const open = (streams: number) =>
            readers.open({ port, path: "/requests/stream", headers: Inferlog.authorization, streams })
          const weigh = Effect.andThen(Metering.settle(pids), weightOf(program))
          yield* open(before)
          const few = yield* weigh
          const cpuMs = ProcessTree.cpuMs(pids)
          const [elapsed] = yield* Effect.timed(open(streams))
          const many = yield* weigh
          const measurement: Measurement = {
            operations: streams,
            elapsedMs: Duration.toMillis(elapsed),
            cpuMs: ProcessTree.cpuMs(pids) - cpuMs,
            peakRssBytes: ProcessTree.peakRssBytes(pids),
            notes: {
              "bytes resident for each": (many.resident - few.resident) / streams,
              "bytes of the main thread's heap for each": (many.heap - few.heap) / streams
            }
          }
          return measurement
        }, Effect.scoped)
      })
    }
  ],
  targets: {}
})

const weightOf = (program: Program.Program) =>
  Effect.andThen(program.send(null), Program.document(program, Scales.Weight))

export const rows: ReadonlyArray<Row> = [rowOf(1_000), rowOf(4_000), rowOf(7_500)]

/** T16: status polls beside submits while each sync of the disk takes 100 ms. */
import { Effect, Fiber } from "effect"
import * as KnownRequests from "../floors/KnownRequests.ts"
import * as LoadClient from "../harness/LoadClient.ts"
import * as Metering from "../harness/Metering.ts"
import * as RequestText from "../harness/RequestText.ts"
import { type Row, Unavailable } from "../harness/Subject.ts"
import * as FaultyDisk from "../harness/disk/FaultyDisk.ts"
import * as PreloadedLibrary from "../harness/disk/PreloadedLibrary.ts"
import * as ScratchDirectory from "../harness/ScratchDirectory.ts"
import * as CompletedRequests from "../subjects/CompletedRequests.ts"
import * as Inferlog from "../subjects/Inferlog.ts"

const delayMs = 100
const readers = 16
const writers = 16
/** Enough for hot functions to be compiled, and for a first checkpoint. */
const warmUpSeconds = 3

const submit = RequestText.postJson(
  "/sandbox/echo",
  JSON.stringify({ value: "x".repeat(288) }),
  Inferlog.authorization
)

const start = Effect.gen(function* () {
  if (PreloadedLibrary.isMissing)
    return yield* new Unavailable({ subject: "a slow disk", remedy: "apt-get install gcc libc6-dev" })
  const disk = yield* FaultyDisk.make
  const server = yield* Inferlog.serveIn(yield* ScratchDirectory.make, undefined, disk.env)
  const known = yield* CompletedRequests.all(server, KnownRequests.all.length, KnownRequests.value)
  const requests = known.map(({ id }) =>
    RequestText.get(`/sandbox/echo/requests/${id}/status`, Inferlog.authorization)
  )
  const read = yield* LoadClient.start("inferlog")
  const write = yield* LoadClient.start("inferlog")
  const load = { ports: [server.port], status: 200 } as const

  const measure = (seconds: number) =>
    Metering.meter(
      server.pids,
      Effect.gen(function* () {
        yield* Effect.sync(() => disk.set({ on: "sync", path: "/", delayMs }))
        const writing = yield* Effect.forkChild(
          write({ ...load, connections: writers, seconds, requests: [submit] })
        )
        const polls = yield* read({ ...load, connections: readers, seconds, requests })
        const submits = yield* Fiber.join(writing)
        yield* Effect.sync(() => disk.set())
        return {
          ...polls,
          notes: {
            "submits a second": (1_000 * submits.operations) / submits.elapsedMs,
            "p99 of submits, ms": submits.latencyMs.p99
          }
        }
      })
    )
  yield* measure(warmUpSeconds)
  return { measure }
})

export const row: Row = {
  id: "T16",
  title: `Status poll while each sync takes ${delayMs} ms`,
  unit: "requests",
  subjects: [{ name: "inferlog", role: "ours", start }],
  targets: {},
  limits: { p99Ms: 10 }
}

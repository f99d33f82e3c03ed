/** Memory growth of a server during the upload and the download of a large file. */
import { Effect } from "effect"
import * as Metering from "../../harness/Metering.ts"
import * as ProcessTree from "../../harness/ProcessTree.ts"
import { BenchFailed, type Measurement, type Subject } from "../../harness/Subject.ts"
import * as TransferClient from "../../harness/TransferClient.ts"
import * as Transfer from "./Transfer.ts"

/** Time between samples of resident memory, ms. */
const lookEveryMs = 20

/** Peak resident memory during the transfer, bytes. */
const watched = Effect.fnUntraced(function* <A, E>(pids: ReadonlyArray<number>, effect: Effect.Effect<A, E>) {
  let most = 0
  const look = Effect.sync(() => {
    most = Math.max(most, ProcessTree.rssBytes(pids))
  })
  const value = yield* Effect.raceFirst(effect, Effect.forever(Effect.delay(look, lookEveryMs)))
  yield* look
  return { value, most }
})

/** Each measurement uses a new, idle server without earlier uploads, so that its memory is minimal. */
export const subject = ({ name, role, serve }: Transfer.MeasuredServer, bytes: number): Subject => ({
  name,
  role,
  start: Effect.gen(function* () {
    const client = yield* TransferClient.start(name)
    // Fails if the server is not installed.
    yield* Effect.scoped(serve)

    const measure = Effect.fnUntraced(function* () {
      const { pids, port, upload } = yield* serve.pipe(
        // The server was available a moment ago.
        Effect.catchTag("Unavailable", ({ message }) => new BenchFailed({ reason: message }))
      )
      yield* Metering.settle(pids)
      const atRest = ProcessTree.rssBytes(pids)
      const growth = (most: number) => (most - atRest) / Transfer.MiB
      const transfer = Effect.gen(function* () {
        const up = yield* Transfer.timed(watched(pids, upload(client, bytes)))
        const { path, remove } = up.value.value
        const down = yield* Transfer.timed(watched(pids, client.get({ port, path, bytes })))
        yield* remove
        return {
          operations: (2 * bytes) / Transfer.MiB,
          elapsedMs: up.elapsedMs + down.elapsedMs,
          notes: {
            "resident at rest, MiB": atRest / Transfer.MiB,
            "growth during the upload, MiB": growth(up.value.most),
            "growth during the download, MiB": growth(down.value.most)
          }
        }
      })
      const measurement: Measurement = yield* Metering.meter(pids, transfer)
      return measurement
    }, Effect.scoped)

    return { measure }
  })
})

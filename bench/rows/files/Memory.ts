/** By how much a server grows while a large file goes in, and comes out again. */
import { Effect } from "effect"
import * as Metering from "../../harness/Metering.ts"
import * as ProcessTree from "../../harness/ProcessTree.ts"
import { BenchFailed, type Measurement, type Subject } from "../../harness/Subject.ts"
import * as TransferClient from "../../harness/TransferClient.ts"
import * as Transfer from "./Transfer.ts"

/** ms between two looks at resident memory. */
const lookEveryMs = 20

/** The most that is resident meanwhile, bytes. */
const watched = Effect.fnUntraced(function* <A, E>(pids: ReadonlyArray<number>, effect: Effect.Effect<A, E>) {
  let most = 0
  const look = Effect.sync(() => {
    most = Math.max(most, ProcessTree.rssBytes(pids))
  })
  const value = yield* Effect.raceFirst(effect, Effect.forever(Effect.delay(look, lookEveryMs)))
  yield* look
  return { value, most }
})

/** Each time a new server, whose memory is no larger than it has to be: at rest, and with nothing uploaded to it before. */
export const subject = ({ name, role, serve }: Transfer.Keeper, bytes: number): Subject => ({
  name,
  role,
  start: Effect.gen(function* () {
    const client = yield* TransferClient.start(name)
    // Whether it can be had at all.
    yield* Effect.scoped(serve)

    const measure = Effect.fnUntraced(function* () {
      const { pids, port, upload } = yield* serve.pipe(
        // It was there a moment ago.
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
            "growth while it comes, MiB": growth(up.value.most),
            "growth while it is got, MiB": growth(down.value.most)
          }
        }
      })
      const measurement: Measurement = yield* Metering.meter(pids, transfer)
      return measurement
    }, Effect.scoped)

    return { measure }
  })
})

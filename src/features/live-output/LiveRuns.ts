/** The outputs that runs of this node make. Their chunks are stored in groups: one write for all runs, at most every 250 ms. */
import { Context, Deferred, Effect, Layer, Metric, Queue, Semaphore } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import { type Batch, ChunkStore } from "./ChunkStore.ts"
import * as Families from "./Families.ts"
import { LiveRun } from "./LiveRun.ts"

/** How long a chunk may wait for others before it is stored. */
const storeWithin = "250 millis"

const countOf = (batches: ReadonlyArray<Batch>): number =>
  batches.reduce((count, { texts }) => count + texts.length, 0)

export class LiveRuns extends Context.Service<
  LiveRuns,
  {
    /** The output of a run that begins, or begins its output again. It replaces an earlier one of the request. */
    begin(requestId: RequestId, attempt: number): LiveRun
    /** Its chunks are stored when this returns, if the store can be used. `isComplete`: they add up to the output. */
    end(run: LiveRun, isComplete: boolean): Effect.Effect<void>
    /** The output that this node makes of the request now. */
    of(requestId: RequestId): LiveRun | null
    /** Calls `onBegin` when an output of the request begins here. Returns a function that ends this. */
    watch(requestId: RequestId, onBegin: () => void): () => void
  }
>()("inferlog/src/features/live-output/LiveRuns") {
  static readonly layer = Layer.effect(
    LiveRuns,
    Effect.gen(function* () {
      const store = yield* ChunkStore
      const ids = yield* IdGenerator
      const live = new Map<RequestId, LiveRun>()
      const watchers = new Map<RequestId, Set<() => void>>()
      const dirty = new Set<LiveRun>()
      /** Those in `dirty` whose ends wait for the store. */
      const ended = new Set<LiveRun>()
      const isDirty = yield* Queue.sliding<void>(1)
      let full = Deferred.makeUnsafe<void>()
      const oneAtATime = Semaphore.makeUnsafe(1)
      const rateLimited = RateLimitedLog.make()

      yield* Metric.update(Families.outputChunks.of(), 0)
      yield* Metric.update(Families.outputChunksDropped.of(), 0)

      const onWaiting = (run: LiveRun) => {
        if (dirty.size === 0) Queue.offerUnsafe(isDirty, undefined)
        dirty.add(run)
        if (run.isFull) Deferred.doneUnsafe(full, Effect.void)
      }

      const write = (batches: ReadonlyArray<Batch>, lasts: ReadonlyArray<readonly [LiveRun, number]>) =>
        batches.length === 0
          ? Effect.void
          : Effect.matchEffect(store.write(batches), {
              onSuccess: () => {
                for (const [run, last] of lasts) run.stored(last)
                return Metric.update(Families.outputChunks.of(), countOf(batches))
              },
              onFailure: (error) => {
                for (const [run] of lasts) run.storeNoMore()
                const told = rateLimited(
                  Effect.logWarning(
                    "Chunks of outputs are not stored: late readers get the output at the end",
                    error
                  )
                )
                return Effect.andThen(
                  Metric.update(Families.outputChunksDropped.of(), countOf(batches)),
                  told
                )
              }
            })

      /** In order: a later chunk is never stored before an earlier one. */
      const storeOf = (own: ReadonlySet<LiveRun>) =>
        Effect.suspend(() => {
          const runs = [...own]
          for (const run of runs) {
            ended.delete(run)
            dirty.delete(run)
          }
          const batches = runs.flatMap((run) => run.batches())
          return write(
            batches,
            runs.map((run) => [run, run.last] as const)
          )
        }).pipe(oneAtATime.withPermits(1))
      const storeAll = storeOf(dirty)
      /** Runs that go on keep their chunks for the next write of all. */
      const storeEnded = storeOf(ended)

      const storeSoon = Effect.gen(function* () {
        yield* Queue.take(isDirty)
        yield* Effect.raceFirst(Effect.sleep(storeWithin), Deferred.await(full))
        full = Deferred.makeUnsafe<void>()
        yield* storeAll
      })
      yield* Effect.forkScoped(supervise("Storing chunks of outputs", Effect.forever(storeSoon)))

      const begin = (requestId: RequestId, attempt: number): LiveRun => {
        const name = `${attempt}-${ids
          .next()
          .slice(-6)
          .toLowerCase()
          .replaceAll(/[^a-z0-9]/g, "0")}`
        const run = new LiveRun(requestId, name, onWaiting)
        const former = live.get(requestId)
        live.set(requestId, run)
        former?.replace()
        if (attempt > 1 || former !== undefined) run.announce()
        watchers.get(requestId)?.forEach((onBegin) => onBegin())
        return run
      }

      const leave = (run: LiveRun) =>
        Effect.sync(() => {
          if (live.get(run.requestId) === run) live.delete(run.requestId)
          run.close()
        })

      const end = (run: LiveRun, isComplete: boolean) =>
        Effect.suspend(() => {
          if (run.isEnded) return Effect.void
          run.end(isComplete && run.last > 0)
          ended.add(run)
          return Effect.ensuring(storeEnded, leave(run))
        })

      const watch = (requestId: RequestId, onBegin: () => void) => {
        const ofRequest = watchers.get(requestId) ?? new Set()
        watchers.set(requestId, ofRequest.add(onBegin))
        return () => {
          ofRequest.delete(onBegin)
          if (ofRequest.size === 0 && watchers.get(requestId) === ofRequest) watchers.delete(requestId)
        }
      }

      return LiveRuns.of({ begin, end, of: (requestId) => live.get(requestId) ?? null, watch })
    })
  )
}

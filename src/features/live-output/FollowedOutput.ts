/**
 * `LiveOutput`: chunks of a run of this node come from memory in the turn in which they are made, all others from the store.
 * What is in neither is shown when the request has ended, as its whole output.
 */
import { Effect, Fiber, Layer, Queue, type Scope } from "effect"
import { isTerminal } from "#domain/inference-request/State.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import { ChunkStore } from "./ChunkStore.ts"
import { type Following, LiveOutput, type OutputReader } from "./LiveOutput.ts"
import { LiveRuns } from "./LiveRuns.ts"
import { Reading } from "./Reading.ts"
import * as WholeOutput from "./WholeOutput.ts"

/** How long to wait for a change before the request is read again, ms. */
const lookMs = 60_000

export const layer = Layer.effect(
  LiveOutput,
  Effect.gen(function* () {
    const requests = yield* Requests
    const catalog = yield* Catalog
    const store = yield* ChunkStore
    const runs = yield* LiveRuns

    const kindOf = ({ request }: Snapshot) =>
      Effect.map(catalog.find(request.submitted.model), (entry) => entry?.model.output?.stream ?? null)

    /** The ended request. Shows progress until then. */
    const ended = Effect.fnUntraced(function* (snapshot: Snapshot, reader: OutputReader) {
      let shown = snapshot
      let told: number | null = null
      while (!isTerminal(shown.request.phase)) {
        const { version } = shown
        // A repeated submit is answered as the first one was, also when the request has ended since.
        shown = yield* requests.waitUntil(
          shown,
          (now) => now.version !== version || isTerminal(now.request.phase),
          lookMs
        )
        const { progress = null } = shown.request
        if (progress !== null && progress !== told && !isTerminal(shown.request.phase))
          reader.progress(progress)
        told = progress
      }
      return shown
    })

    /** The store may fail: the reader then gets the output at the end. */
    const read = (id: Snapshot["id"], reading: Reading) =>
      Effect.orElseSucceed(store.read(id, reading.place), () => null)

    /** Gives chunks until the run that makes them here has ended, none is left, or the request is `over`. */
    const giveLive = Effect.fnUntraced(function* (
      reading: Reading,
      reader: OutputReader,
      id: Snapshot["id"],
      over: Effect.Effect<"over">
    ) {
      for (let run = runs.of(id); run !== null; run = runs.of(id)) {
        const waited = yield* Effect.raceFirst(reading.follow(run), over)
        // Its provider may go on for a while.
        if (waited === "over") return
        if (waited === "full") yield* reader.ready
        if (waited === "ended") {
          if (run.isComplete && reading.indexIn(run.name) === run.last) reading.complete()
          if (runs.of(id) === run) return
        }
        if (waited !== "behind") continue
        const batch = yield* read(id, reading)
        if (batch === null || batch.run !== run.name || batch.texts.length === 0) return
        yield* reading.giveAll(batch)
      }
    })

    /** The same for chunks that were stored. */
    const giveStored = Effect.fnUntraced(function* (reading: Reading, id: Snapshot["id"]) {
      while (runs.of(id) === null) {
        const batch = yield* read(id, reading)
        if (batch === null) return
        yield* reading.giveAll(batch)
        if (batch.isComplete) return
      }
    })

    /** Calls `onNews` when there may be more chunks than when it was last looked. */
    const watch = Effect.fnUntraced(function* (id: Snapshot["id"], onNews: () => void) {
      yield* Effect.acquireRelease(
        Effect.sync(() => runs.watch(id, onNews)),
        (unwatch) => Effect.sync(unwatch)
      )
      yield* store.watch(id, onNews)
    })

    const giveWhole = Effect.fnUntraced(function* (
      reading: Reading,
      reader: OutputReader,
      snapshot: Snapshot
    ) {
      const { output } = yield* requests
        .payloads(snapshot, { input: false })
        .pipe(Effect.orElseSucceed(() => ({ output: null })))
      if (output === null) return
      const has = reading.indexIn(WholeOutput.run)
      reading.enter(WholeOutput.run)
      const chunks = WholeOutput.chunksOf(yield* kindOf(snapshot), output)
      for (const [index, { text }] of chunks.entries()) {
        if (index >= has && !reading.give(WholeOutput.run, index + 1, text)) yield* reader.ready
      }
    })

    const follow = Effect.fn("LiveOutput.follow")(function* ({
      after,
      reader,
      snapshot
    }: Following): Effect.fn.Return<Snapshot, Effect.Error<ReturnType<typeof ended>>, Scope.Scope> {
      const { id, request } = snapshot
      // Its chunks may still be there after a crash.
      if (request.erasure !== null) return snapshot
      const reading = new Reading(reader, after)
      const news = yield* Queue.sliding<void>(1)
      const tell = () => void Queue.offerUnsafe(news, undefined)
      yield* watch(id, tell)
      const ending = yield* Effect.forkChild(ended(snapshot, reader))
      ending.addObserver(tell)
      const over = Effect.as(Fiber.await(ending), "over" as const)
      while (true) {
        // Chunks are stored before the end is recorded, so a request that has ended has all of them.
        const end = ending.pollUnsafe()
        if (end === undefined || !reading.isWhole) {
          yield* giveLive(reading, reader, id, over)
          yield* giveStored(reading, id)
        }
        if (end !== undefined) {
          const last = yield* end
          if (!reading.isWhole) yield* giveWhole(reading, reader, last)
          return last
        }
        yield* Queue.take(news)
      }
    }, Effect.scoped)

    return LiveOutput.of({ follow, kindOf })
  })
)

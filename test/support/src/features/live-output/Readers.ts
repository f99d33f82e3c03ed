/** Models, runs and readers for tests of outputs that are read while they are made. */
import { Deferred, Effect, Layer, Result } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { LiveOutput, type OutputReader } from "#src/features/live-output/LiveOutput.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as ManifestEntry from "#src/features/catalog/models/ManifestEntry.ts"
import { perRequest } from "#src/features/catalog/models/builtin/sandbox/SandboxDefaults.ts"
import { type BuiltinModel, defineModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import { TestProvider, type TestRun } from "#test/support/TestProvider.ts"

const { model } = testModel("test/stream", { concurrency: 10 })
export const streaming = defineModel({
  ...perRequest,
  ...model,
  outputSchema: { type: "string" },
  output: { stream: "text" }
})
/** Its price counts the characters that it delivers, of at most ten. */
export const counted: BuiltinModel = {
  ...streaming,
  model: {
    ...streaming.model,
    price: { ...streaming.model.price, unit: "1k_characters" },
    metering: { quantity: "10", delivered: "$length(output)" }
  }
}
export const countedCatalog = Layer.sync(Catalog, () => {
  const entry = Result.getOrThrow(ManifestEntry.make(counted))
  const find = () => Effect.succeed(entry)
  return Catalog.of({ all: Effect.succeed([entry]), find, findVersion: find, lastOffered: find })
})
export const plain = testModel("test/plain")
export const models = [streaming, plain]

/** What a reader got: texts of chunks, and the names of other events. */
interface Recorded {
  readonly reader: OutputReader
  readonly events: Array<unknown>
  readonly ids: Array<string>
  /** Completes with the chunk of this number. */
  readonly until: (count: number) => Effect.Effect<void>
}

export const record = (
  isFull: (count: number) => boolean = () => false,
  ready: Effect.Effect<void> = Effect.void
): Recorded => {
  const events: Array<unknown> = []
  const ids: Array<string> = []
  const waiting = new Map<number, Deferred.Deferred<void>>()
  const waitFor = (count: number) => {
    const known = waiting.get(count) ?? Deferred.makeUnsafe<void>()
    waiting.set(count, known)
    return known
  }
  return {
    events,
    ids,
    until: (count) => Deferred.await(waitFor(count)),
    reader: {
      chunk: ({ id, text }) => {
        events.push(JSON.parse(text))
        ids.push(id)
        Deferred.doneUnsafe(waitFor(ids.length), Effect.void)
        return !isFull(ids.length)
      },
      restart: () => void events.push("restart!"),
      progress: (fraction) => void events.push(`${fraction}!`),
      ready
    }
  }
}

export const follow = Effect.fnUntraced(function* (
  id: RequestId,
  { reader }: Recorded,
  after: string | null = null
) {
  const live = yield* LiveOutput
  const snapshot = yield* Facts.snapshot(id)
  return yield* live.follow({ snapshot, after, reader })
})

export const say = (run: TestRun, ...texts: ReadonlyArray<string>) =>
  run.does((control) => Effect.sync(() => texts.forEach((text) => control.chunk(text))))

export const begunOf = Effect.fnUntraced(function* (model: BuiltinModel) {
  const id = yield* Facts.submit({ model })
  return { id, run: yield* (yield* TestProvider).next }
})

export const begun = begunOf(streaming)

export const ends = (run: TestRun, output: string) => run.ends(succeeded(output))

/** Begins to read. `reading` ends with the request. */
export const reads = Effect.fnUntraced(function* (id: RequestId) {
  const reader = record()
  return { reader, reading: yield* Effect.forkScoped(follow(id, reader)) }
})

/** What a reader gets until the request has ended, from the beginning or after a chunk. */
export const eventsOf = Effect.fnUntraced(function* (id: RequestId, after: string | null = null) {
  const reader = record()
  yield* follow(id, reader, after)
  return reader.events
})

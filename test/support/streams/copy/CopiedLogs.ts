/** Two logs, the content of the source of a copy, and the expected content of the copy. */
import { Context, Effect, Layer, type Scope, Stream } from "effect"
import * as LogCopy from "#streams/copy/LogCopy.ts"
import * as EventStoreTarget from "#streams/copy/EventStoreTarget.ts"
import type { LogTarget } from "#streams/copy/LogTarget.ts"
import { EventReader, type Reading } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import { Payloads } from "#streams/Payload.ts"
import * as PayloadRefs from "#streams/PayloadRefs.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"

type Log = EventStore | EventReader

/** A backend to copy from, or to. */
export interface Backend {
  readonly name: string
  readonly layer: Layer.Layer<Log, unknown>
  /** An empty log. */
  readonly openTarget: Effect.Effect<LogTarget, unknown, Scope.Scope>
}

const storeTarget = (layer: Backend["layer"], options: EventStoreTarget.Options) =>
  Effect.map(Layer.build(Layer.fresh(layer)), (context) =>
    EventStoreTarget.make(Context.get(context, EventStore), options)
  )

const sqliteLog = TempDirectory.provide(SqliteEventStore.layer)

export const memory: Backend = {
  name: "memory",
  layer: MemoryEventStore.layer,
  openTarget: storeTarget(MemoryEventStore.layer, { sharesCommits: false })
}

export const sqlite: Backend = {
  name: "SQLite",
  layer: sqliteLog,
  openTarget: storeTarget(sqliteLog, { sharesCommits: true })
}

export interface Source {
  readonly reading: Reading
  /** Provides the log and its payloads to an effect. */
  readonly use: <A, E>(effect: Effect.Effect<A, E, Log | Payloads>) => Effect.Effect<A, E>
}

export const openSource = Effect.fnUntraced(function* ({ layer }: Backend) {
  const blobs = yield* BlobStore
  const context = yield* Layer.build(
    Layer.fresh(
      Payloads.layer.pipe(Layer.provideMerge(layer), Layer.provide(Layer.succeed(BlobStore, blobs)))
    )
  )
  const source: Source = {
    reading: Context.get(context, EventReader),
    use: (effect) => Effect.provideContext(effect, context)
  }
  return source
})

/** Streams with one event and with many, payloads in the log and in the blob store, and an erased one. */
export const fill = Effect.gen(function* () {
  yield* DataDirectory.appendPayload("a", "a0", { prompt: "naïve ☃ \u2028" })
  yield* DataDirectory.append("b", "b0", { nested: { b: [1, 2.5, null], a: "x" } })
  yield* DataDirectory.appendPayload("c", "c0", { prompt: "x".repeat(70_000) })
  for (let index = 0; index < 20; index++) yield* DataDirectory.append("b", `b${index + 1}`, { index })
  yield* DataDirectory.appendPayload("erased", "e0", { prompt: "personal" })
  yield* DataDirectory.erase("erased")
  for (let index = 0; index < 20; index++) yield* DataDirectory.append(`s${index % 3}`, `s${index}`)
})

/** Many events of many streams: more than one page of any backend. */
export const fillPages = (prefix: string) =>
  Effect.forEach(
    Array.from({ length: 1_300 }).keys(),
    (index) => DataDirectory.append(`n${index % 50}`, `${prefix}${index}`, { index }),
    { concurrency: 50, discard: true }
  )

export const events = (reading: Reading) => Stream.runCollect(reading.readAll(GlobalPosition.beginning))

/** Everything that is copied, with the existing payload records. */
export const contents = Effect.fnUntraced(function* (reading: Reading) {
  const all = yield* events(reading)
  return yield* Effect.forEach(
    all,
    Effect.fnUntraced(function* (event) {
      const { hash, id, ordinal, stream, text, time, type } = event
      const payloads = yield* Effect.forEach(PayloadRefs.of(event), ([name, ref]) =>
        reading.payload(event.stream, name, ref.hash)
      )
      return { hash, id, ordinal, stream, text, time, type, payloads }
    })
  )
})

/** Copies and verifies. */
export const copyAll = Effect.fnUntraced(function* (source: Source, target: LogTarget) {
  const copied = yield* LogCopy.copy({ source: source.reading, target })
  const verified = yield* LogCopy.prove({ target, copied })
  return { copied, verified }
})

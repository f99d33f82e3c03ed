/** A log of requests and others in a data directory, and its archiving, for tests. */
import * as path from "node:path"
import * as url from "node:url"
import { Effect, Layer, Stream } from "effect"
import * as Archive from "#domain/archive/Archive.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Archiving from "#src/features/archive/Archiving.ts"

export const folder = (directory: string) => path.join(directory, "segments")

/** Reservations of idempotency keys: the smallest streams that may be archived. */
export const key = (id: string) => StreamName.make("IdempotencyKey", id)
/** Streams that stay. */
const other = (id: string) => StreamName.make("Thing", id)

export const reserve = (id: string, time: number, requestHash = "x".repeat(40)) =>
  Effect.flatMap(EventStore, (store) =>
    store.append({
      stream: key(id),
      expected: ExpectedVersion.Any,
      events: [
        {
          id: `${id}-${time}`,
          type: "KeyReserved",
          time,
          data: { requestId: "r".repeat(21), requestHash, expiresAt: time + 1_000 }
        }
      ]
    })
  )

export const happen = (id: string, time: number) =>
  Effect.flatMap(EventStore, (store) =>
    store.append({
      stream: other(id),
      expected: ExpectedVersion.Any,
      events: [{ id: `${id}-${time}`, type: "Happened", time, data: { note: `☃ "data": ${id}` } }]
    })
  )

export const owned = <A, E, R>(directory: string, use: Effect.Effect<A, E, R>) =>
  Effect.provide(
    use,
    Layer.mergeAll(
      SqliteEventStore.layer(directory),
      FileBlobStore.layer({ root: folder(directory), isShared: true }),
      IdGenerator.layer
    ),
    { local: true }
  )

export const archive = (
  directory: string,
  before: number,
  segmentText = 64 * 1_024,
  options: Partial<Archiving.Options> = {}
): ReturnType<typeof Archiving.run> =>
  Archiving.run({
    before,
    kept: 0,
    location: url.pathToFileURL(folder(directory)).href,
    segmentText,
    ...options
  })

/** The segments that the log names. */
export const segments = Effect.map(
  Effect.flatMap(EventReader, (reader) => reader.read(StreamName.make("Archive", Archive.id))),
  (events) => events.map(Archive.aggregate.codec.decode)
)

const facts = ({ hash, id, ordinal, position, stream, text, time, type, version }: RecordedEvent) => ({
  hash,
  id,
  ordinal,
  position,
  stream,
  text,
  time,
  type,
  version
})

const each = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Many streams that may be archived, and as many newer events as stay. */
export const fill = (count: number, requestHash?: string) =>
  Effect.andThen(
    Effect.forEach(each(count), (index) => reserve(`k${index % 500}`, 1_000 + index, requestHash), {
      concurrency: 32,
      discard: true
    }),
    Effect.forEach(each(Archiving.newestKept), (index) => happen(`t${index}`, 2_000), {
      concurrency: 64,
      discard: true
    })
  )

/** All that readers see up to `end`. */
const seen = (end: number) =>
  Effect.gen(function* () {
    const reader = yield* EventReader
    const upTo = (events: ReadonlyArray<RecordedEvent>) =>
      events.filter(({ position }) => Number(position) <= end).map(facts)
    const all = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
    const names = [
      ...new Set(all.filter(({ position }) => Number(position) <= end).map(({ stream }) => stream))
    ]
    const streams = yield* Effect.forEach(names, (name) => Effect.map(reader.read(name), upTo))
    const later = yield* Effect.forEach(names, (name) => Effect.map(reader.read(name, all[0]?.version), upTo))
    const many = yield* reader.many?.read(names) ?? Effect.succeed([])
    const subscribed = yield* reader
      .subscribe(GlobalPosition.beginning, ["KeyReserved"])
      .pipe(Stream.take(1), Stream.runCollect)
    const from = yield* Stream.runCollect(
      reader.readAll(reader.stepBack(GlobalPosition.trusted(String(end)), 700))
    )
    const ofCategory = yield* Stream.runCollect(
      reader.readCategories?.(["IdempotencyKey"], GlobalPosition.trusted(String(end))) ?? Stream.empty
    )
    return {
      all: upTo(all),
      streams,
      later,
      many: Object.fromEntries(Map.groupBy(upTo(many), ({ stream }) => stream)),
      first: upTo(subscribed),
      from: upTo(from),
      ofCategory: upTo(ofCategory)
    }
  })

/** By the process that owns the log, and by one beside it. */
export const seenByAll = (directory: string, end: number) =>
  Effect.all([
    owned(directory, seen(end)),
    Effect.provide(seen(end), SqliteEventReader.layer({ filename: LogFiles.files(directory).log }), {
      local: true
    })
  ])

/** The contracts over a log of which all but the last event are archived before most appends return. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as url from "node:url"
import { Context, Effect, Layer, Semaphore } from "effect"
import * as Segment from "#streams/archive/Segment.ts"
import * as SegmentWriting from "#streams/archive/SegmentWriting.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as EventStore from "#streams/EventStore.ts"
import { ArchiveWriter } from "#streams/sqlite/archive/ArchiveWriter.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { eventStoreContract } from "#test/support/streams/EventStoreContract.ts"
import { payloadRecordsContract } from "#test/support/streams/PayloadRecordsContract.ts"

const layer = TempDirectory.provide((directory) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const store = yield* EventStore.EventStore
      const writer = yield* ArchiveWriter
      const one = yield* Semaphore.make(1)

      const archive = Effect.gen(function* () {
        const writing = SegmentWriting.make()
        // The head of a log is always a row: `EventsArchived` is appended before its events are moved.
        for (const event of (yield* writer.rows(0, ArchiveWriter.pageSize)).slice(0, -1)) writing.add(event)
        const built = writing.build(null)
        if (built === null) return
        const { bytes, digest, index, key } = built
        fs.writeFileSync(path.join(directory, key), bytes)
        const location = url.pathToFileURL(directory).href
        const segment = { digest, key, location, frames: index.frames.length }
        for (const frame of index.frames) {
          const { length, offset } = frame
          const events = Segment.decode(bytes.subarray(offset, offset + length), frame)
          const rows = events.map(({ position, ...event }) => ({ ...event, position: Number(position) }))
          yield* writer.archive({
            segment,
            frame,
            rows: rows.map(({ hash, ordinal, position, stream }) => ({ hash, ordinal, position, stream }))
          })
        }
      }).pipe(one.withPermit, Effect.orDie)

      let appends = 0
      /** A test of thousands of appends archives some of them at once. */
      const isDue = () => ++appends <= 20 || appends % 50 === 0
      const archiving = EventStore.withAppend(store, (append) =>
        Effect.tap(store.append(append), () => (isDue() ? archive : Effect.void))
      )
      return Context.make(EventStore.EventStore, archiving).pipe(Context.add(EventReader, yield* EventReader))
    })
  ).pipe(Layer.provide(SqliteEventStore.layer(directory)))
)

eventStoreContract("SQLite, archived", layer)
payloadRecordsContract("SQLite, archived", layer)

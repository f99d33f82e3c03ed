/** The log and its payloads beside a running server. */
import { Effect, Layer, Schedule, Stream } from "effect"
import { DataDirectory } from "#src/DataDirectory.ts"
import * as BlobStorage from "#src/storage/BlobStorage.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import { Payloads } from "#streams/Payload.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as ExistingLog from "../ExistingLog.ts"

const readerWith = (options: Pick<SqliteEventReader.ReaderOptions, "wake">) =>
  Layer.unwrap(
    Effect.map(DataDirectory, (directory) =>
      SqliteEventReader.layer({ ...options, filename: SqliteEventStore.files(directory).log })
    )
  )

const reader = readerWith({})

/** Shared, so that it leaves the server's unfinished writes alone. */
const blobs = Layer.unwrap(
  Effect.gen(function* () {
    const options = BlobStorage.options(yield* BlobStorage.blobStore.config, yield* DataDirectory)
    return FileBlobStore.layer({ ...options, isShared: true })
  })
)

export const layerEvents = reader.pipe(Layer.provideMerge(ExistingLog.layer))

/** A follower looks for new events ten times a second: no other process tells it of them. */
export const layerFollowing = readerWith({ wake: Stream.fromSchedule(Schedule.spaced("100 millis")) }).pipe(
  Layer.provideMerge(ExistingLog.layer)
)

export const layer = Payloads.layer.pipe(
  Layer.provide(blobs),
  Layer.provideMerge(reader),
  Layer.provideMerge(ExistingLog.layer)
)

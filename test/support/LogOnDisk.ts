/** Reads the log of a data directory directly, for tests that check what processes leave on disk. */
import { Effect, Layer, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { Payloads } from "#streams/Payload.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import { files } from "#streams/sqlite/LogFiles.ts"

/** Events and payloads. */
export const layer = (directory: string) =>
  Payloads.layer.pipe(
    Layer.provideMerge(
      Layer.merge(
        SqliteEventReader.layer({ filename: files(directory).log }),
        FileBlobStore.layer({ root: `${directory}/blobs`, isShared: true })
      )
    )
  )

/** All events, in the order of the log. */
export const eventsByStream = Effect.gen(function* () {
  const reader = yield* EventReader
  const events = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
  return Map.groupBy(events, (event) => event.stream)
})

/** The log as the worker reads it: by itself, read-only. */
import type { Layer, Stream } from "effect"
import type { EventReader, EventStoreError } from "#streams/EventReader.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import type { Log } from "./Protocol.ts"

export const layer = (log: Log, wake: Stream.Stream<unknown>): Layer.Layer<EventReader, EventStoreError> => {
  switch (log._tag) {
    case "Sqlite":
      return SqliteEventReader.layer({ filename: log.filename, wake })
  }
}

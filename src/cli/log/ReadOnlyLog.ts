/** Read-only access to the log and its payloads, also while servers run. */
import { Effect, Layer, Schedule, Stream } from "effect"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import { Payloads } from "#streams/Payload.ts"
import * as ExistingLog from "#src/cli/ExistingLog.ts"
import { ReadPlace } from "./ReadPlace.ts"

const readerWith = (wake?: Stream.Stream<unknown>) =>
  Layer.merge(
    Layer.unwrap(Effect.map(ChosenLog.place, (place) => ChosenLog.readerAt(place, wake))),
    ReadPlace.layer
  )

const reader = readerWith()

/** Opened as shared, so that unfinished writes of the server stay untouched. */
export const blobsOf = (directory: string) =>
  Layer.unwrap(
    Effect.map(BlobStorage.blobStore.config, (choice) =>
      BlobStorage.layerOf(choice, { dataDirectory: directory, isBeside: true })
    )
  )

const blobs = Layer.unwrap(Effect.map(DataDirectory, blobsOf))

export const layerEvents = reader.pipe(Layer.provideMerge(ExistingLog.layerReadOnly))

/** With a writable data directory. */
export const layerOfNode = reader.pipe(Layer.provideMerge(ExistingLog.layer))

/** Polls for new events ten times a second, because other processes do not signal them. */
export const layerFollowing = readerWith(Stream.fromSchedule(Schedule.spaced("100 millis"))).pipe(
  Layer.provideMerge(ExistingLog.layerReadOnly)
)

export const layer = Payloads.layer.pipe(
  Layer.provide(blobs),
  Layer.provideMerge(reader),
  Layer.provideMerge(ExistingLog.layerReadOnly)
)

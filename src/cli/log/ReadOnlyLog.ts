/** The log and its payloads beside running servers. */
import { Effect, Layer, Schedule, Stream } from "effect"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as BlobStorage from "#src/platform/blobs/BlobStorage.ts"
import { Payloads } from "#streams/Payload.ts"
import * as ExistingLog from "#src/cli/ExistingLog.ts"

const readerWith = (wake?: Stream.Stream<unknown>) =>
  Layer.unwrap(Effect.map(ChosenLog.place, (place) => ChosenLog.readerAt(place, wake)))

const reader = readerWith()

/** Shared, so that it leaves the server's unfinished writes alone. */
export const blobsOf = (directory: string) =>
  Layer.unwrap(
    Effect.map(BlobStorage.blobStore.config, (choice) =>
      BlobStorage.layerOf(choice, { dataDirectory: directory, isBeside: true })
    )
  )

const blobs = Layer.unwrap(Effect.map(DataDirectory, blobsOf))

export const layerEvents = reader.pipe(Layer.provideMerge(ExistingLog.layerReadOnly))

/** With a data directory that the command may write to. */
export const layerOfNode = reader.pipe(Layer.provideMerge(ExistingLog.layer))

/** A follower looks for new events ten times a second: no other process tells it of them. */
export const layerFollowing = readerWith(Stream.fromSchedule(Schedule.spaced("100 millis"))).pipe(
  Layer.provideMerge(ExistingLog.layerReadOnly)
)

export const layer = Payloads.layer.pipe(
  Layer.provide(blobs),
  Layer.provideMerge(reader),
  Layer.provideMerge(ExistingLog.layerReadOnly)
)

/** Archiving through the process that has the log open: a server, which stays responsive, or a command. */
import { Clock, Context, Effect, Layer, Option, Result, Semaphore } from "effect"
import { paced } from "#src/kernel/async/Pace.ts"
import * as LocalSegments from "#streams/archive/LocalSegments.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import { type EventReader, EventStoreError } from "#streams/EventReader.ts"
import type { EventStore } from "#streams/EventStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import type { ArchiveWriter } from "#streams/sqlite/archive/ArchiveWriter.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as Archiving from "./Archiving.ts"
import * as ArchivePlace from "./ArchivePlace.ts"
import { archive as setting } from "./ArchiveSetting.ts"
import { ArchivingRefused } from "./ArchivingRefused.ts"

/**
 * Works in small steps, with pauses, for at most a quarter of the time, so that submits do not wait long. A call writes at most one
 * segment, of this many characters of lines.
 */
const segmentText = 16 * 1_024 * 1_024
const frameText = 64 * 1_024
const pageSize = 256

interface Options {
  /** Streams whose last event is not newer are archived: their age in ms. */
  readonly ageMs: number
  /** Where an earlier call ended. */
  readonly after: number
}

export const LogArchiving = Context.Reference<{
  /** Archives at most one segment to `ARCHIVE`. */
  readonly archive: (
    options: Options
  ) => Effect.Effect<Archiving.Archived, ArchivingRefused | EventStoreError | BlobStoreError>
}>("inferlog/src/features/archive/LogArchiving", {
  defaultValue: () => ({
    archive: () =>
      new ArchivingRefused({
        reason: "EVENT_STORE: only a log in the data directory can be archived, not one on NATS"
      })
  })
})

const unset = new ArchivingRefused({
  reason: "ARCHIVE: set it for the server, to the folder or bucket to which it archives"
})

/** For a log in the data directory. */
export const layer = (directory: string) =>
  Layer.effect(
    LogArchiving,
    Effect.gen(function* () {
      const text = yield* setting.config
      const one = yield* Semaphore.make(1)
      const context = yield* Effect.context<ArchiveWriter | EventReader | EventStore | IdGenerator>()

      const run = Effect.fn("LogArchiving.archive")(function* ({ after, ageMs }: Options) {
        if (Option.isNone(text)) return yield* unset
        const refused = (reason: string) => new ArchivingRefused({ reason: `ARCHIVE: ${reason}` })
        const parsed = ArchivePlace.parse(text.value, directory)
        const place = yield* Effect.fromResult(Result.mapError(parsed, refused))
        const location = LocalSegments.resolve(LogFiles.files(directory).log, place.location)
        const before = (yield* Clock.currentTimeMillis) - ageMs
        const limits = { segmentText, frameText, pageSize, maxSegments: 1 }
        return yield* Archiving.run({ before, after, location, ...limits, step: paced }).pipe(
          Effect.provide(place.blobs)
        )
      })

      return {
        archive: (options) =>
          run(options).pipe(
            Effect.provideContext(context),
            Effect.catchTag("LogUnavailable", ({ reason }) => new EventStoreError({ reason })),
            one.withPermitsIfAvailable(1),
            Effect.flatMap(
              Option.match({
                onNone: () => new ArchivingRefused({ reason: "Another archiving is under way" }),
                onSome: Effect.succeed
              })
            )
          )
      }
    })
  ).pipe(Layer.provide(IdGenerator.layer))

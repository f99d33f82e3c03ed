/** The log of `EVENT_STORE` for readers: from the data directory, beside its server, or from the NATS servers. */
import { type Config, Effect, type Layer, type Stream } from "effect"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EventReader, EventStoreError } from "#streams/EventReader.ts"
import * as HeadAnchor from "#streams/HeadAnchor.ts"
import type { Payloads } from "#streams/Payload.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as SqliteVerify from "#streams/sqlite/SqliteVerify.ts"
import { type Anchor, type LogBroken, verify, type Verified, type VerifyOptions } from "#streams/Verify.ts"
import { DataDirectory, holdsLog } from "#src/kernel/disk/DataDirectory.ts"
import { type EventStoreChoice, eventStore } from "#src/kernel/settings/EventStoreSetting.ts"
import * as NatsLog from "./NatsLog.ts"

export type ReaderError =
  | Layer.Error<ReturnType<typeof SqliteEventReader.layer>>
  | Layer.Error<ReturnType<typeof NatsLog.layerReader>>

/** The location of a log. */
export type LogLocation =
  | {
      readonly _tag: "Sqlite"
      /** Absolute. */
      readonly directory: string
    }
  | Extract<EventStoreChoice, { readonly _tag: "Nats" }>

/** The location of this node's log. */
export const place: Effect.Effect<LogLocation, Config.ConfigError, DataDirectory> = Effect.gen(function* () {
  const choice = yield* eventStore.config
  return choice._tag === "Nats" ? choice : { _tag: "Sqlite", directory: yield* DataDirectory }
})

/** `wake` emits when a log in a directory may have grown. NATS reports growth itself. */
export const readerAt = (
  place: LogLocation,
  wake?: Stream.Stream<unknown>
): Layer.Layer<EventReader, ReaderError> =>
  place._tag === "Nats"
    ? NatsLog.layerReader(place.options)
    : SqliteEventReader.layer({
        filename: LogFiles.files(place.directory).log,
        ...(wake && { wake })
      })

/** Whether the log is on NATS servers. */
export const isShared: Effect.Effect<boolean, Config.ConfigError> = Effect.map(
  eventStore.config,
  ({ _tag }) => _tag === "Nats"
)

/** Whether positions count commits of one or more events instead of events. */
export const countsCommits = isShared

/** The head in this node's `log.head`; none when there is no such file. */
export const headAnchors = Effect.fn("ChosenLog.headAnchors")(function* (
  directory: string
): Effect.fn.Return<ReadonlyArray<Anchor>, LogBroken | EventStoreError | Config.ConfigError, EventReader> {
  if (!(yield* isShared)) return yield* SqliteVerify.headAnchor(directory)
  // The head beside a local log belongs to that log, not to this one.
  return holdsLog(directory) ? [] : yield* HeadAnchor.find(yield* NatsLog.headFile(directory))
})

/** Also verifies against this node's `log.head`, read first: a concurrent writer cannot make the log look short. */
export const verifyAll: <E = never>(
  directory: string,
  options?: VerifyOptions<E>
) => Effect.Effect<
  Verified,
  LogBroken | EventStoreError | BlobStoreError | Config.ConfigError | E,
  EventReader | Payloads
> = Effect.fn("ChosenLog.verifyAll")(function* <E>(directory: string, options: VerifyOptions<E> = {}) {
  if (!(yield* isShared)) return yield* SqliteVerify.verifyDirectory(directory, options)
  const anchors = [...(yield* headAnchors(directory)), ...(options.anchors ?? [])]
  return yield* verify({ ...options, anchors })
})

/** Data directories for tests: opened, copied in the state of a crash, and verified. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Layer, Stream } from "effect"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as EventChain from "#streams/EventChain.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import { Payloads, refOf } from "#streams/Payload.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import { verifyDirectory } from "#streams/sqlite/SqliteVerify.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Tombstone from "#streams/Tombstone.ts"
import type { VerifyOptions } from "#streams/Verify.ts"
import { eventData } from "#test/support/EventFixtures.ts"

export { files } from "#streams/sqlite/LogFiles.ts"

const logFiles = ["log.sqlite", "log.sqlite-wal", "log.head"]

const blobs = (directory: string) => FileBlobStore.layer({ root: `${directory}/files`, isShared: false })

/** Runs `use` as the process that owns the directory; the log is closed when it ends. */
export const own = <A, E, R>(directory: string, use: Effect.Effect<A, E, R>) =>
  Effect.provide(
    use,
    Payloads.layer.pipe(Layer.provideMerge(Layer.merge(SqliteEventStore.layer(directory), blobs(directory)))),
    { local: true }
  )

/** The result of `verify` for the directory. */
export const verify = (directory: string, options?: VerifyOptions) =>
  Effect.provide(
    verifyDirectory(directory, options),
    Payloads.layer.pipe(
      Layer.provideMerge(
        Layer.merge(SqliteEventReader.layer({ filename: LogFiles.files(directory).log }), blobs(directory))
      )
    ),
    { local: true }
  )

export const stream = (id: string) => StreamName.make("Thing", id)

export const append = (
  id: string,
  eventId: string,
  data: JsonObject = {},
  payloads: ReadonlyArray<SealedPayload> = []
) =>
  Effect.flatMap(EventStore, (store) =>
    store.append({
      stream: stream(id),
      expected: ExpectedVersion.Any,
      events: [eventData(eventId, "Happened", data)],
      payloads
    })
  )

/** Appends an event that names the payload `input`. */
export const appendPayload = Effect.fnUntraced(function* (id: string, eventId: string, json: Json) {
  const payloads = yield* Payloads
  const sealed = yield* payloads.seal({
    owner: "acc_1",
    stream: stream(id),
    name: "input",
    text: JSON.stringify(json)
  })
  yield* append(id, eventId, { payloads: { input: refOf(sealed) } }, [sealed])
})

/** Erases the payload `input` of a stream, with its tombstone. */
export const erase = (id: string, payloads: ReadonlyArray<SealedPayload> = []) =>
  Effect.flatMap(EventStore, (store) =>
    store.append({
      stream: stream(id),
      expected: ExpectedVersion.Any,
      events: [eventData("erased", Tombstone.type, { erased: ["input"] })],
      erases: ["input"],
      payloads
    })
  )

/** Every event on the log. */
export const events = Effect.flatMap(EventReader, (reader) =>
  Stream.runCollect(reader.readAll(GlobalPosition.beginning))
)

/** The digest of the whole log, from its first event. */
export const digest = Effect.map(events, (events) =>
  events.reduce((digest, { hash }) => EventChain.digest(digest, hash), EventChain.origin)
)

/** The log's files as they are on disk at this moment, by name. */
export const snapshot = (directory: string): ReadonlyMap<string, Buffer> =>
  new Map(
    logFiles
      .map((name) => path.join(directory, name))
      .filter((file) => fs.existsSync(file))
      .map((file) => [path.basename(file), fs.readFileSync(file)])
  )

/** Copies the files into an empty directory `name` under `parent`. */
export const restore = (parent: string, name: string, files: ReadonlyMap<string, Buffer>): string => {
  const directory = path.join(parent, name)
  fs.mkdirSync(directory)
  for (const [file, bytes] of files) fs.writeFileSync(path.join(directory, file), bytes)
  return directory
}

/** Publishes the manifests of `MODELS_DIR` at start and after changes. A faulty manifest never stops the server. */
import * as path from "node:path"
import { Deferred, Effect, Layer, Option, Queue } from "effect"
import * as Offering from "#domain/catalog/Offering.ts"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as FolderPass from "./FolderPass.ts"
import { modelsDir } from "./ModelsDir.ts"
import * as fs from "node:fs"

/** Merges all changes since the last look. Some file systems report none, so the folder is also checked at times. */
const makeFolderChanges = Effect.fnUntraced(function* (folder: string) {
  const changes = yield* Queue.sliding<void>(1)
  const tell = () => void Queue.offerUnsafe(changes, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      try {
        const watcher = fs.watch(folder, { recursive: true, persistent: false }, tell)
        // If the folder is removed, only watching ends.
        watcher.on("error", () => watcher.close())
        return watcher
      } catch {
        return null
      }
    }),
    (watcher) => Effect.sync(() => watcher?.close())
  )
  return Queue.take(changes)
})

/** Interval of checks without a reported change. */
const interval = "5 seconds"

/** Quiet time after a change: editors write in steps, and copies take time. */
const settling = "250 millis"

/** How long a start waits for a folder that an earlier start has published. The log's state can be served meanwhile. */
const patience = "2 seconds"

/** The most models whose publisher is looked up. */
const sampleSize = 100

const isOfFolder = ({ data }: { readonly data: Readonly<Record<string, unknown>> }): boolean => {
  const { source } = data
  return typeof source === "string" && source.startsWith(FolderPass.sourcePrefix)
}

/** Whether the log has models from a folder. */
const wasPublished = Effect.gen(function* () {
  const reader = yield* EventReader
  const { models } = yield* (yield* CatalogContents).current
  for (const { model } of models.slice(0, sampleSize)) {
    const events = yield* reader.read(StreamName.make(Offering.aggregate.category, model.endpoint))
    if (events.some(isOfFolder)) return true
  }
  return false
}).pipe(Effect.orElseSucceed(() => false))

/** Ready when the folder's manifests are published, or when an earlier start published them and this one takes long. */
export const layerAt = (folder: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const look = yield* FolderPass.make(folder)
      const changed = yield* makeFolderChanges(folder)
      const looked = yield* Deferred.make<void>()
      const next = Effect.timeoutOption(changed, interval).pipe(
        Effect.flatMap(Option.match({ onNone: () => Effect.void, onSome: () => Effect.sleep(settling) })),
        Effect.andThen(look)
      )
      const following = Effect.andThen(
        Effect.ensuring(look, Deferred.succeed(looked, undefined)),
        Effect.forever(next)
      )
      const canWait = yield* wasPublished
      yield* Effect.forkScoped(supervise("Following MODELS_DIR", following))
      const first = Deferred.await(looked)
      yield* canWait ? Effect.timeoutOption(first, patience) : first
    })
  )

export const layer = Layer.unwrap(
  Effect.map(
    modelsDir.config,
    Option.match({ onNone: () => Layer.empty, onSome: (folder) => layerAt(path.resolve(folder)) })
  )
)

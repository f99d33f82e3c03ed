/** Publishes the manifests of `MODELS_DIR`: at start, and whenever they change. What is wrong with one never ends the server. */
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

/**
 * Takes one change at a time, however many there were since the last. Not every file system tells of changes, and a folder
 * that is replaced is not told of any more: whoever waits looks from time to time, too.
 */
const makeFolderChanges = Effect.fnUntraced(function* (folder: string) {
  const changes = yield* Queue.sliding<void>(1)
  const tell = () => void Queue.offerUnsafe(changes, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      try {
        const watcher = fs.watch(folder, { recursive: true, persistent: false }, tell)
        // A folder that went away ends the watching, not the server.
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

/** Between two looks where the system tells of no change. */
const interval = "5 seconds"

/** How long files are left alone after a change: editors write in several steps, and copies take a while. */
const settling = "250 millis"

/** How long a start waits for a folder that an earlier one has published: what is on the log can be served meanwhile. */
const patience = "2 seconds"

/** Models that are asked for who has published them, the last ones: whoever has a folder has some of its models there. */
const asked = 100

const isOfFolder = ({ data }: { readonly data: Readonly<Record<string, unknown>> }): boolean => {
  const { source } = data
  return typeof source === "string" && source.startsWith(FolderPass.sourcePrefix)
}

/** Whether the log has models of a folder. */
const wasPublished = Effect.gen(function* () {
  const reader = yield* EventReader
  const { models } = yield* (yield* CatalogContents).current
  for (const { model } of models.slice(0, asked)) {
    const events = yield* reader.read(StreamName.make(Offering.aggregate.category, model.endpoint))
    if (events.some(isOfFolder)) return true
  }
  return false
}).pipe(Effect.orElseSucceed(() => false))

/** There when what was in the folder is published, or was by an earlier start and takes long. */
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

/** Publishes the manifests of `MODELS_DIR`: at start, and whenever they change. What is wrong with one never ends the server. */
import * as path from "node:path"
import { Effect, Layer, Option } from "effect"
import { supervise } from "#src/Supervise.ts"
import * as FolderChanges from "./FolderChanges.ts"
import * as FolderPass from "./FolderPass.ts"
import { modelsDir } from "./ModelsDir.ts"

/** Between two looks where the system tells of no change. */
const interval = "5 seconds"

/** How long files are left alone after a change: editors write in several steps, and copies take a while. */
const settling = "250 millis"

/** There when what was in the folder is published. */
export const layerAt = (folder: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const look = yield* FolderPass.make(folder)
      const changed = yield* FolderChanges.make(folder)
      yield* look
      const next = Effect.timeoutOption(changed, interval).pipe(
        Effect.flatMap(Option.match({ onNone: () => Effect.void, onSome: () => Effect.sleep(settling) })),
        Effect.andThen(look)
      )
      yield* Effect.forkScoped(supervise("Following MODELS_DIR", Effect.forever(next)))
    })
  )

export const layer = Layer.unwrap(
  Effect.map(
    modelsDir.config,
    Option.match({ onNone: () => Layer.empty, onSome: (folder) => layerAt(path.resolve(folder)) })
  )
)

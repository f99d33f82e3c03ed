/** Live outputs of a test's servers or nodes, whose chunks are in an SQLite file of their own. */
import { Layer } from "effect"
import * as path from "node:path"
import { LiveRuns } from "#src/features/live-output/LiveRuns.ts"
import * as SqliteChunkStore from "#src/features/live-output/SqliteChunkStore.ts"
import * as TempDirectory from "./TempDirectory.ts"

export const store = TempDirectory.provide((directory) =>
  SqliteChunkStore.layerAt(path.join(directory, "output.sqlite"))
)

export const layer = LiveRuns.layer.pipe(Layer.provideMerge(store))

/** A scratch directory of its own for a test. */
import { Layer } from "effect"
import { DataDirectory } from "#src/DataDirectory.ts"
import { ScratchDirectory } from "#src/ScratchDirectory.ts"
import * as TempDirectory from "./TempDirectory.ts"

export const layer = ScratchDirectory.layer.pipe(Layer.provide(TempDirectory.provide(DataDirectory.layerAt)))

/** A scratch directory for one test. */
import { Layer } from "effect"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as TempDirectory from "./TempDirectory.ts"

export const layer = ScratchDirectory.layer.pipe(Layer.provide(TempDirectory.provide(DataDirectory.layerAt)))

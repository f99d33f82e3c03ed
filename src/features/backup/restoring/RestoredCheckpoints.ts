/** Writes those signed checkpoints of a backup that the restored log reaches. */
import * as path from "node:path"
import { Effect } from "effect"
import * as CheckpointFiles from "#src/platform/checkpoints/CheckpointFiles.ts"
import type { BlobStore } from "#streams/BlobStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { StoredCheckpoint } from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"

interface Options {
  readonly pieces: BlobStore["Service"]
  readonly checkpoints: ReadonlyArray<StoredCheckpoint>
  /** The end of the restored log, without erasures that were repeated on it. */
  readonly end: GlobalPosition.GlobalPosition
  /** The data directory. */
  readonly directory: string
}

export const write = Effect.fn("RestoredCheckpoints.write")(function* ({
  checkpoints,
  directory,
  end,
  pieces
}: Options) {
  const folder = CheckpointFiles.folderIn(directory)
  for (const stored of checkpoints) {
    const file = CheckpointFiles.parseName(path.basename(stored.name))
    if (file === undefined || !GlobalPosition.isReached(file.position, end)) continue
    yield* CheckpointFiles.write(folder, file, yield* Pieces.read(pieces, stored))
  }
})

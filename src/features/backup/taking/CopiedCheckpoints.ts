/** Signed checkpoints in a backup, so that a restored log need not be verified as a whole again. Signatures are not checked here. */
import * as crypto from "node:crypto"
import { Effect } from "effect"
import * as CheckpointFiles from "#src/platform/checkpoints/CheckpointFiles.ts"
import type { BlobStore } from "#streams/BlobStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { StoredCheckpoint } from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"

interface Options {
  readonly pieces: BlobStore["Service"]
  /** The data directory of a log in SQLite; `null` for a log on NATS, whose positions a restored log need not have. */
  readonly directory: string | null
  /** Where the backup ends. */
  readonly end: GlobalPosition.GlobalPosition
  /** Those that the backup has. */
  readonly known: ReadonlyArray<StoredCheckpoint>
  /** A new unique id. */
  readonly id: string
}

/** More files than a data directory leaves are not its own. */
const most = 8

/** Copies what the target lacks. Returns what the backup then has, and whether that is what it had. */
export const copy = Effect.fn("CopiedCheckpoints.copy")(function* ({
  directory,
  end,
  id,
  known,
  pieces
}: Options) {
  const all: Array<StoredCheckpoint> = []
  const folder = CheckpointFiles.folderIn(directory ?? "")
  const files = directory === null ? [] : CheckpointFiles.list(folder)
  const covered = files.filter(({ position }) => GlobalPosition.isReached(position, end))
  for (const { name } of covered.slice(0, most)) {
    const header = CheckpointFiles.readHeader(folder, name)
    if (header === null) continue
    const headerSha256 = crypto.hash("sha256", header)
    const stored = known.find((one) => one.name === name && one.headerSha256 === headerSha256)
    const bytes = stored === undefined ? CheckpointFiles.read(folder, name) : null
    if (stored !== undefined) all.push(stored)
    else if (bytes !== null) {
      const piece = yield* Pieces.put(pieces, `checkpoints/${id}-${name}`, bytes)
      all.push({ ...piece, name, headerSha256 })
    }
  }
  const isSame = all.length === known.length && all.every((one) => known.includes(one))
  return { all, isSame }
})

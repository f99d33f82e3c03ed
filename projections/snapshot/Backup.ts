/** Copies the read models as of one moment while they are written. */
import type { Effect } from "effect"
import * as OnlineBackup from "#streams/sqlite/OnlineBackup.ts"
import * as StoredCheckpoints from "../runner/StoredCheckpoints.ts"
import { SnapshotFileError } from "./SnapshotError.ts"

/** Copies `source` to `target`, which must not exist, and returns the checkpoints in the copy. */
export const make = (
  source: string,
  target: string
): Effect.Effect<StoredCheckpoints.StoredCheckpoints, SnapshotFileError> =>
  OnlineBackup.make({
    source,
    target,
    read: StoredCheckpoints.of,
    failure: (cause) => new SnapshotFileError({ reason: "The read models cannot be copied", cause })
  })

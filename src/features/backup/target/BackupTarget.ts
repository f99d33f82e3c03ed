/** The place of a backup: named pieces that never change, and one manifest that names them and is replaced atomically. */
import type { Effect } from "effect"
import type { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import type { TargetInUse } from "../BackupError.ts"

export const manifestKey = "manifest.json"

export interface StoredManifest {
  readonly text: string
  /** Differs for each version of the manifest. */
  readonly revision: string
}

export interface BackupTarget {
  /** For people, without credentials. */
  readonly name: string
  readonly pieces: BlobStore["Service"]
  /** `null` when there is none. */
  readonly readManifest: Effect.Effect<StoredManifest | null, BlobStoreError>
  /**
   * Replaces the manifest if its revision is still `revision` (`null`: there is none), and returns the new revision. Durable
   * before it returns.
   */
  readonly writeManifest: (
    text: string,
    revision: string | null
  ) => Effect.Effect<string, BlobStoreError | TargetInUse>
  /** Whether the target cannot be used by another backup while this one has it open. */
  readonly isExclusive: boolean
  /** A folder for files that this backup needs for a while. It exists. */
  readonly scratch: string
}

/** A temporary folder in the folder of the system for temporary files (`TMPDIR`), removed with the scope. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import { BlobStoreError } from "#streams/BlobStore.ts"

export const make = Effect.acquireRelease(
  Effect.try({
    try: () => fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-backup-")),
    catch: (cause) => new BlobStoreError({ reason: "a temporary folder (TMPDIR) cannot be created", cause })
  }),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

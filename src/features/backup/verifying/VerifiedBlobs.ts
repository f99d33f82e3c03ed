/** Checks the blobs of a generation against the hashes in its inventories. */
import { Effect } from "effect"
import type { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import type { BackupDamaged } from "../BackupError.ts"
import * as Inventories from "../format/Inventories.ts"
import type { Generation } from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"
import type { Findings } from "./Findings.ts"

/** Blobs are read a few at a time, because S3 answers with a delay. */
const concurrency = 8

export const verify = Effect.fn("VerifiedBlobs.verify")(function* (
  pieces: BlobStore["Service"],
  { inventories }: Generation,
  findings: Findings
) {
  const entriesOf = (
    inventory: Generation["inventories"][number]
  ): Effect.Effect<ReadonlyArray<Inventories.Entry>, BackupDamaged | BlobStoreError> =>
    Effect.flatMap(Pieces.readText(pieces, inventory), (text) => Inventories.parse(inventory, text))
  for (const inventory of inventories) {
    const entries = yield* findings.collect(inventory.key, entriesOf(inventory))
    yield* Effect.forEach(
      entries ?? [],
      ({ object, sha256, size }) => {
        const piece = { key: object, sha256, size }
        return findings.once(piece, Pieces.check(pieces, piece))
      },
      { concurrency, discard: true }
    )
  }
})

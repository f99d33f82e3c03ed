/**
 * Removes pieces that the manifest does not name: of a backup that was interrupted, and of generations that are no longer
 * kept. Blobs of an interrupted backup stay: the next one uses them. `RetiredBlobs` removes others.
 */
import { Effect, Stream } from "effect"
import type { Manifest } from "../format/Manifest.ts"
import type { BackupTarget } from "../target/BackupTarget.ts"

const folders = ["base", "segments", "inventories", "keys", "archive", "oauth", "checkpoints"]

const namedBy = (manifest: Manifest | null): ReadonlySet<string> =>
  new Set(
    manifest === null
      ? []
      : [
          ...manifest.generations.flatMap(({ archive = [], base, inventories, segments }) => [
            ...(base === null ? [] : [base.key]),
            ...segments.map(({ key }) => key),
            ...inventories.map(({ key }) => key),
            ...archive.map(({ key }) => key)
          ]),
          ...(manifest.retired ?? []).map(({ key }) => key),
          ...(manifest.keys === null ? [] : [manifest.keys.key]),
          ...(manifest.oauth === null ? [] : [manifest.oauth.key]),
          ...(manifest.checkpoints ?? []).map(({ key }) => key)
        ]
  )

/** In a bucket, another backup may be writing the pieces, so they stay there. */
export const remove = Effect.fn("Leftovers.remove")(function* (
  { isExclusive, pieces }: BackupTarget,
  manifest: Manifest | null
) {
  if (!isExclusive) return
  const named = namedBy(manifest)
  for (const folder of folders) {
    yield* Stream.runForEach(pieces.list(folder), ({ key }) =>
      named.has(key) ? Effect.void : pieces.remove(key)
    )
  }
})

/** Removes pieces that only the replaced manifest named. */
export const removeReplaced = Effect.fn("Leftovers.removeReplaced")(function* (
  { pieces }: BackupTarget,
  before: Manifest | null,
  now: Manifest
) {
  const named = namedBy(now)
  const replaced = [...namedBy(before)].filter((key) => !named.has(key))
  yield* Effect.forEach(replaced, (key) => pieces.remove(key), { discard: true })
})

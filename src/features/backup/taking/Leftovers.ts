/**
 * Removes pieces that the manifest does not name: of a backup that was interrupted, and of generations that are no longer
 * kept. Blobs and segments of the archive stay when a backup is interrupted: the next one uses them, and the log itself may
 * keep its segments there. `RetiredBlobs` removes other blobs.
 */
import { Effect, Stream } from "effect"
import type { Manifest } from "../format/Manifest.ts"
import type { BackupTarget } from "../target/BackupTarget.ts"

const folders = ["base", "segments", "inventories", "keys", "oauth", "checkpoints"]

/** How this program names pieces: other files in a folder of such a name are not its own. An id has 21 characters. */
const form = /\/(?:[\d.]+-){0,2}[\w-]{21}(?:-m|-[a-z]+-[\d.]+\.checkpoint)?$/

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
  const needed = namedBy(manifest)
  for (const folder of folders) {
    yield* Stream.runForEach(pieces.list(folder), ({ key }) =>
      needed.has(key) || !form.test(key) ? Effect.void : pieces.remove(key)
    )
  }
})

/** Removes pieces that only replaced manifests named. */
export const removeReplaced = Effect.fn("Leftovers.removeReplaced")(function* (
  { pieces }: BackupTarget,
  before: ReadonlyArray<Manifest | null>,
  now: Manifest
) {
  const needed = namedBy(now)
  const replaced = new Set(before.flatMap((manifest) => [...namedBy(manifest)]))
  const unneeded = [...replaced].filter((key) => !needed.has(key))
  yield* Effect.forEach(unneeded, (key) => pieces.remove(key), { discard: true })
})

/** Merges small pieces at the end of a generation, so that following a log leaves few of them. */
import { Effect } from "effect"
import type { BlobStore } from "#streams/BlobStore.ts"
import type * as Manifest from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"

type Generation = Manifest.Generation

/** Pieces that are merged at a time. Each event is written again once for each power of this number. */
const width = 16

/** Bytes of a merged piece before it is compressed, at most. */
const largest = 16 * 1024 * 1024

/** The last pieces that fit in one, at least `width` of them and of similar sizes; none while there are fewer. */
const mergeable = <A extends { readonly rawSize: number }>(pieces: ReadonlyArray<A>): ReadonlyArray<A> => {
  const last = pieces.slice(-width)
  const size = last.reduce((sum, { rawSize }) => sum + rawSize, 0)
  const isSimilar = last.every(({ rawSize }) => rawSize <= size / 2)
  return last.length === width && size <= largest && isSimilar ? last : []
}

const textOf = (
  store: BlobStore["Service"],
  pieces: ReadonlyArray<Manifest.Piece & { readonly rawSize: number }>
) =>
  Effect.map(
    Effect.forEach(pieces, (piece) => Pieces.readText(store, piece)),
    (texts) => texts.join("")
  )

export const run = Effect.fn("Compaction.run")(function* (
  store: BlobStore["Service"],
  generation: Generation,
  id: string
) {
  let { inventories, segments } = generation
  const merged = mergeable(segments)
  const [first] = merged
  const last = merged.at(-1)
  if (first !== undefined && last !== undefined) {
    const key = `segments/${first.after}-${last.end.position}-${id}-m`
    const piece = yield* Pieces.putText(store, key, yield* textOf(store, merged))
    const events = merged.reduce((sum, { events }) => sum + events, 0)
    segments = [...segments.slice(0, -width), { ...piece, after: first.after, end: last.end, events }]
  }
  const lists = mergeable(inventories)
  if (lists.length > 0) {
    const piece = yield* Pieces.putText(store, `inventories/${id}-m`, yield* textOf(store, lists))
    const blobs = lists.reduce((sum, { blobs }) => sum + blobs, 0)
    inventories = [...inventories.slice(0, -width), { ...piece, blobs }]
  }
  return { ...generation, segments, inventories } satisfies Generation
})

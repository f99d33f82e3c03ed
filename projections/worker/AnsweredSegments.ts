/** Reads archived segments for the projections' thread. */
import { Effect } from "effect"
import type { SegmentBytes } from "#streams/archive/SegmentSource.ts"
import type { SegmentAnswer, SegmentWanted } from "./Protocol.ts"

export const answer = (
  source: SegmentBytes,
  { id, place, range }: SegmentWanted,
  send: (answer: SegmentAnswer) => void
): Effect.Effect<void> =>
  source.read(place, range ?? undefined).pipe(
    Effect.match({
      onSuccess: (bytes) => send({ _tag: "SegmentAnswer", id, bytes, reason: "" }),
      onFailure: ({ reason }) => send({ _tag: "SegmentAnswer", id, bytes: null, reason })
    })
  )

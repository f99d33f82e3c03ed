/** Reads archived segments for the projections' thread, which waits for an answer to each question, whatever goes wrong. */
import { Effect } from "effect"
import { type SegmentBytes, unreadable } from "#streams/archive/SegmentSource.ts"
import { describe } from "../runner/Failure.ts"
import type { SegmentAnswer, SegmentWanted } from "./Protocol.ts"

export const answer = (
  source: SegmentBytes,
  { id, place, range }: SegmentWanted,
  send: (answer: SegmentAnswer) => void
): Effect.Effect<void> =>
  source.read(place, range ?? undefined).pipe(
    Effect.catchDefect((defect) => Effect.fail(unreadable(place.key, describe(defect)))),
    Effect.match({
      onSuccess: (bytes) => send({ _tag: "SegmentAnswer", id, bytes, reason: "" }),
      onFailure: ({ reason }) => send({ _tag: "SegmentAnswer", id, bytes: null, reason })
    })
  )

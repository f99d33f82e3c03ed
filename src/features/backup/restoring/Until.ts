/** The moment to restore. */
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { endOf, type Generation, type Manifest } from "../format/Manifest.ts"

export type Until =
  | { readonly _tag: "End" }
  /** With this event and none after it. */
  | { readonly _tag: "Position"; readonly position: GlobalPosition.GlobalPosition }
  /** Up to the first event after this time, without it: Unix time in ms. */
  | { readonly _tag: "Time"; readonly time: number }

/** Whether the generation's base ends at or before the moment. */
const startsBefore = (until: Until, { base }: Generation): boolean => {
  if (base === null || until._tag === "End") return true
  return until._tag === "Time"
    ? (base.end.time ?? 0) <= until.time
    : GlobalPosition.isReached(base.end.position, until.position)
}

/** The newest generation that begins before the moment, else the oldest: later events are removed from its base. */
export const generationOf = ({ generations }: Manifest, until: Until): Generation =>
  generations.findLast((generation) => startsBefore(until, generation)) ?? generations[0]

/** Whether the backup reaches the position. */
export const isReached = (until: Until, generation: Generation): boolean =>
  until._tag !== "Position" || GlobalPosition.isReached(until.position, endOf(generation).position)

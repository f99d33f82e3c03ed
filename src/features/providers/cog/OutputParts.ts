/** Parts of an output that a Cog server numbers from 0. They come by its stream and by webhooks, which overlap. */
import type { Json } from "#domain/CanonicalJson.ts"
import type { OutputChunks } from "../OutputChunks.ts"

export interface OutputParts extends Pick<OutputChunks, "fault" | "ended"> {
  /** A part that is known, or that comes before an earlier one, is ignored. `false`: the run ends in `fault`. */
  readonly take: (part: Json, index: number) => boolean
  /** All parts until now. */
  readonly takeAll: (parts: ReadonlyArray<Json>) => void
}

/** `null` if the model's output is shown when the run has ended. */
export const make = (chunks: OutputChunks | null): OutputParts | null => {
  if (chunks === null) return null
  const take = (part: Json, index: number) => index !== chunks.size() || chunks.take(part)
  return { fault: chunks.fault, ended: chunks.ended, take, takeAll: (parts) => void parts.every(take) }
}

/** Parts of an output that a Cog server numbers from 0. They come by its stream and by webhooks, which overlap. */
import type { Spelled } from "#domain/JsonText.ts"
import type { OutputChunks } from "../OutputChunks.ts"

export interface OutputParts extends Pick<OutputChunks, "fault" | "ended"> {
  /** A part that is known, or that comes before an earlier one, is ignored. `false`: the run ends in `fault`. */
  readonly take: (part: Spelled, index: number) => boolean
  /** All parts until now. */
  readonly takeAll: (parts: ReadonlyArray<Spelled>) => void
}

/** `null` if the model's output is shown when the run has ended. */
export const make = (chunks: OutputChunks | null): OutputParts | null => {
  if (chunks === null) return null
  const take = ({ scalar, value }: Spelled, index: number) =>
    index !== chunks.size() || chunks.take(value, scalar)
  return { fault: chunks.fault, ended: chunks.ended, take, takeAll: (parts) => void parts.every(take) }
}

/** Chunks that a worker reports. They are numbered, so that a call that is repeated adds none twice. */
import { Deferred } from "effect"
import type { Spelled } from "#domain/JsonText.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { Lease } from "./Lease.ts"

export interface ChunkReport {
  /** Number of the first of the chunks, from 0 at the beginning of the output. */
  readonly from: number
  readonly chunks: ReadonlyArray<Spelled>
  /** The output begins again: all chunks before do not count. */
  readonly restart: boolean
}

/** What became of a report. */
export type Taken =
  /** `next`: the number of the chunk that is expected now; `null` if chunks of this job are not kept. */
  | { readonly _tag: "Taken"; readonly next: number | null }
  /** None were taken, because this one is not of the model's kind. */
  | { readonly _tag: "NotOfKind"; readonly index: number }
  /** The run has failed with them. */
  | { readonly _tag: "Failed"; readonly outcome: ProviderOutcome }

export const notKept = { _tag: "Taken", next: null } satisfies Taken

export const take = ({ chunks: own, ended, job }: Lease, { chunks, from, restart }: ChunkReport): Taken => {
  // What comes after the end is no part of the output.
  if (own === null || Deferred.isDoneUnsafe(ended)) return notKept
  const index =
    job.model.output?.stream === "text" ? chunks.findIndex(({ value }) => typeof value !== "string") : -1
  if (index >= 0) return { _tag: "NotOfKind", index }
  if (restart) own.restart()
  const known = own.size() - from
  // Known ones are dropped, and so are all after a gap.
  const fresh = known < 0 ? [] : chunks.slice(known)
  fresh.every(({ scalar, value }) => own.take(value, scalar))
  const outcome = own.fault()
  return outcome === null ? { _tag: "Taken", next: own.size() } : { _tag: "Failed", outcome }
}

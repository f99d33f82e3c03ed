/** A target that is written through `EventStore`. */
import { Effect } from "effect"
import type { EventStore } from "../EventStore.ts"
import * as CopiedAppends from "./CopiedAppends.ts"
import type { LogTarget } from "./LogTarget.ts"

export interface Options {
  /** Whether concurrent appends are stored in the order in which they began. */
  readonly sharesCommits: boolean
}

export const make = (store: EventStore["Service"], { sharesCommits }: Options): LogTarget => ({
  reading: store,
  append: (batch) =>
    Effect.forEach(CopiedAppends.of(batch), store.append, {
      concurrency: sharesCommits ? "unbounded" : 1,
      discard: true
    })
})

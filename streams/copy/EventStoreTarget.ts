/** A target that is written as any log is. */
import { Effect } from "effect"
import type { EventStore } from "../EventStore.ts"
import * as CopiedAppends from "./CopiedAppends.ts"
import type { LogTarget } from "./LogTarget.ts"

export interface Options {
  /** Whether appends that begin at once come to be in the order in which they began, in one commit or one after another. */
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

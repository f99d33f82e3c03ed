/** The last link of the streams written lately, so that an append to a live stream reads nothing. Bounded, oldest out. */
import * as RecentlyUsed from "../RecentlyUsed.ts"
import type { Tail } from "./Reads.ts"

const capacity = 20_000

export interface TailCache {
  readonly get: (stream: string) => Tail | undefined
  readonly set: (stream: string, tail: Tail) => void
  /** After a rollback: what is cached may never have been committed. */
  readonly clear: () => void
}

export const make = (load: (stream: string) => Tail | undefined): TailCache => {
  const tails = RecentlyUsed.make<Tail>({ capacity })
  return { get: (stream) => tails.get(stream) ?? load(stream), set: tails.set, clear: tails.clear }
}

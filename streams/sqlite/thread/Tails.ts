/** The last link of each stream's chain, in memory for the streams that were written lately. */
import type { DatabaseSync } from "node:sqlite"
import * as RecentlyUsed from "../../RecentlyUsed.ts"

export interface Tail {
  /** Of the last event of a stream. */
  readonly ordinal: number
  readonly hash: string
}

export interface Tails {
  readonly recent: RecentlyUsed.RecentlyUsed<Tail>
  /** From the table. */
  readonly read: (stream: string) => Tail | undefined
}

/** Streams whose last link is kept. */
const capacity = 20_000

export const make = (db: DatabaseSync): Tails => {
  const last = db.prepare("SELECT ordinal, hash FROM events WHERE stream = ? ORDER BY ordinal DESC LIMIT 1")
  return {
    recent: RecentlyUsed.make<Tail>({ capacity }),
    read: (stream) => {
      const row = last.get(stream)
      return row && { ordinal: Number(row["ordinal"]), hash: String(row["hash"]) }
    }
  }
}

/** The last ordinal and hash of each stream. Recently written streams are in memory. */
import type { DatabaseSync } from "node:sqlite"
import * as RecentlyUsed from "../../RecentlyUsed.ts"

export interface Tail {
  /** Ordinal of the last event of the stream. */
  readonly ordinal: number
  readonly hash: string
}

export interface Tails {
  readonly recent: RecentlyUsed.RecentlyUsed<Tail>
  /** Reads from the table. */
  readonly read: (stream: string) => Tail | undefined
}

/** The most streams in memory. */
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

/** The last ordinal and hash of each stream. Recently written streams are in memory. */
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite"
import * as RecentlyUsed from "../../RecentlyUsed.ts"
import * as Schema from "../Schema.ts"

export interface Tail {
  /** Ordinal of the last event of the stream. */
  readonly ordinal: number
  readonly hash: string
}

export interface Tails {
  readonly recent: RecentlyUsed.RecentlyUsed<Tail>
  /** Reads from the tables. */
  readonly read: (stream: string) => Tail | undefined
  /** Reads only what was archived: the constraints of the table of events do not cover it. */
  readonly archived: (stream: string) => Tail | undefined
  /** Looks whether the log has archived events now. Only this connection moves them, so no append has to look. */
  readonly afterArchiving: () => void
}

/** The most streams in memory. */
const capacity = 20_000

export const make = (db: DatabaseSync): Tails => {
  const last = db.prepare("SELECT ordinal, hash FROM events WHERE stream = ? ORDER BY ordinal DESC LIMIT 1")
  const findArchive = Schema.hasArchive(db)
  let hasArchive = findArchive()
  let lastArchived: StatementSync | undefined
  const tailOf = (row: Record<string, SQLOutputValue> | undefined): Tail | undefined =>
    row && { ordinal: Number(row["ordinal"]), hash: String(row["hash"]) }
  const archived = (stream: string) => {
    if (!hasArchive) return undefined
    lastArchived ??= db.prepare("SELECT ordinal, hash FROM archived WHERE stream = ?")
    return tailOf(lastArchived.get(stream))
  }
  return {
    recent: RecentlyUsed.make<Tail>({ capacity }),
    read: (stream) => tailOf(last.get(stream)) ?? archived(stream),
    archived,
    afterArchiving: () => {
      hasArchive = findArchive()
    }
  }
}

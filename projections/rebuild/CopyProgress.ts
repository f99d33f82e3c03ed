/** Reads the progress of a rebuild. */
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import * as Database from "#streams/sqlite/Database.ts"
import * as StoredCheckpoints from "../runner/StoredCheckpoints.ts"
import * as CopyMark from "./CopyMark.ts"
import * as Generations from "./Generations.ts"
import * as RebuildLock from "./RebuildLock.ts"

/** The positions of the projections that are being rebuilt. Empty when no rebuild runs. */
export const read = (base: string): ReadonlyMap<string, GlobalPosition> => {
  if (!RebuildLock.isHeld(base)) return new Map()
  try {
    const copy = Generations.copyOf(base)
    const names = namesOf(copy)
    const stored = StoredCheckpoints.read(copy)
    return new Map(
      names.flatMap((name) => {
        const found = stored.get(name)
        return found === undefined ? [] : [[name, found.position] as const]
      })
    )
  } catch {
    // The copy may appear or disappear at any moment.
    return new Map()
  }
}

const namesOf = (copy: string) => {
  const db = Database.open({ filename: copy, readOnly: true, synchronous: "NORMAL" })
  try {
    return CopyMark.read(db) ?? []
  } finally {
    db.close()
  }
}

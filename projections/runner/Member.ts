/** A projection that is open on a file. */
import type { DatabaseSync } from "node:sqlite"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import type { BatchBuffer, Projection } from "../Projection.ts"

export interface Member {
  readonly name: string
  readonly rules: ReadonlyMap<string, (event: RecordedEvent) => void>
  readonly buffers: ReadonlyArray<BatchBuffer>
}

/** The tables must exist. Throws what SQLite throws. */
export const open = (projection: Projection, db: DatabaseSync): Member => {
  const { rules, buffers = [] } = projection.open(db)
  return { name: projection.name, rules: new Map(rules.map(({ type, apply }) => [type, apply])), buffers }
}

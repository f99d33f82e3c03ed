/** Counters in a table whose columns are the parts of a counter's name, a `CompositeKey`. A counter that reaches 0 has no row. */
import type { DatabaseSync } from "node:sqlite"
import type { BatchBuffer } from "../Projection.ts"
import * as CompositeKey from "./CompositeKey.ts"
import * as Counters from "./Counters.ts"

export interface CounterTable extends BatchBuffer {
  /** Adds `change`, which may be negative. A counter never goes below 0. */
  readonly add: (name: string, change: number) => void
  /** Moves one from the counter `from`, if given, to the counter `to`. */
  readonly move: (from: string | null, to: string) => void
}

export const make = (
  db: DatabaseSync,
  {
    table,
    columns,
    count
  }: {
    readonly table: string
    /** The primary key: all columns except `count`. */
    readonly columns: ReadonlyArray<string>
    readonly count: string
  }
): CounterTable => {
  const add = db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => "?").join(", ")}, ?)
    ON CONFLICT (${columns.join(", ")}) DO UPDATE SET ${count} = ${count} + excluded.${count}`)
  const prune = db.prepare(
    `DELETE FROM ${table} WHERE ${columns.map((column) => `${column} = ?`).join(" AND ")} AND ${count} = 0`
  )
  const counters = Counters.make((name, change) => {
    if (change === 0) return
    const parts = CompositeKey.partsOf(name)
    add.run(...parts, change)
    if (change < 0) prune.run(...parts)
  })
  return {
    write: counters.write,
    forget: counters.forget,
    add: counters.add,
    move: (from, to) => {
      if (from === to) return
      if (from !== null) counters.add(from, -1)
      counters.add(to, 1)
    }
  }
}

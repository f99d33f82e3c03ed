/** Counters that have a table: the parts of a counter's name are its columns. One that comes to 0 has no row. */
import type { DatabaseSync } from "node:sqlite"
import type { BatchBuffer } from "../Projection.ts"
import * as Counters from "./Counters.ts"

export interface CounterTable extends BatchBuffer {
  /** `change` more of the name, fewer if it is negative. It never comes to less than 0. */
  readonly add: (name: string, change: number) => void
  /** One less of `from`, if there was any, and one more of `to`; both are names. */
  readonly move: (from: string | null, to: string) => void
}

/** In no id, name or word. */
const separator = "\0"

/** The name of a counter from the values of its columns. */
export const nameOf = (...parts: ReadonlyArray<string>): string => parts.join(separator)

export const make = (
  db: DatabaseSync,
  {
    table,
    columns,
    count
  }: {
    readonly table: string
    /** The primary key, and all columns but `count`. */
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
    const parts = name.split(separator)
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

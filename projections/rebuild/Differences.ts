/**
 * Compares the rows of a projection in two files by walking both in key order. Memory use does not depend on their number.
 */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"

/** Integers above 2^53 are text, and bytes are base64, so that every row can be printed as JSON. */
export type Row = Readonly<Record<string, string | number | null>>

/**
 * `stored` is what was found, `expected` what follows from the log. `null` for a row that is missing or should not exist.
 * For `schema`, they are the definitions of a table or index; for `integrity`, what SQLite reports about the stored file.
 */
export interface Difference {
  readonly kind: "checkpoint" | "schema" | "integrity" | "row"
  readonly table: string
  /** The key columns of the row. */
  readonly key: Row
  readonly stored: Row | null
  readonly expected: Row | null
}

export interface Found {
  readonly rows: number
  /** The first difference. `null` when there is none. */
  readonly difference: Difference | null
}

export interface Sides {
  /** Both are read as of one moment. */
  readonly stored: DatabaseSync
  readonly expected: DatabaseSync
}

/** Rows after which a walk yields. */
const yieldInterval = 2_048

/** Yields the number of compared rows at intervals. Throws what SQLite throws. */
export function* walk(sides: Sides, projection: string): Generator<number, Found> {
  const [tables, difference] = compareDefinitions(sides, projection)
  if (difference !== null) return { rows: 0, difference }
  let rows = 0
  for (const table of tables) {
    const wrong = integrityOf(sides.stored, table)
    if (wrong !== null) return { rows, difference: wrong }
    const walked = walkTable(sides, table)
    for (let step = walked.next(); ; step = walked.next()) {
      if (step.done === true) {
        if (step.value !== null) return { rows, difference: step.value }
        break
      }
      rows++
      if (rows % yieldInterval === 0) yield rows
    }
  }
  return { rows, difference: null }
}

interface Definition {
  readonly type: string
  readonly text: string
}

const definitionsOf = (db: DatabaseSync, projection: string): ReadonlyMap<string, Definition> =>
  new Map(
    db
      .prepare("SELECT name, type, sql FROM sqlite_schema WHERE tbl_name GLOB ? ORDER BY name")
      .all(`${projection}_*`)
      .map(({ name, sql, type }) => [String(name), { type: String(type), text: String(sql ?? "") }])
  )

const compareDefinitions = ({ expected, stored }: Sides, projection: string) => {
  const found = definitionsOf(stored, projection)
  const expectedDefinitions = definitionsOf(expected, projection)
  const names = [...new Set([...expectedDefinitions.keys(), ...found.keys()])]
  const name = names.find((name) => found.get(name)?.text !== expectedDefinitions.get(name)?.text)
  const tables = names.filter((name) => expectedDefinitions.get(name)?.type === "table")
  if (name === undefined) return [tables, null] as const
  const shown = (definition: Definition | undefined) =>
    definition === undefined ? null : { definition: definition.text }
  const difference: Difference = {
    kind: "schema",
    table: name,
    key: {},
    stored: shown(found.get(name)),
    expected: shown(expectedDefinitions.get(name))
  }
  return [tables, difference] as const
}

/** Checks the pages of the table and its indexes: correct rows are useless to a query through a broken index. */
const integrityOf = (stored: DatabaseSync, table: string): Difference | null => {
  const [first] = stored.prepare(`PRAGMA integrity_check("${table}")`).all()
  const finding = String(Object.values(first ?? {})[0])
  return finding === "ok"
    ? null
    : { kind: "integrity", table, key: {}, stored: { finding }, expected: { finding: "ok" } }
}

type Values = ReadonlyArray<SQLOutputValue>

/** Yields once per key of either side. */
function* walkTable({ expected, stored }: Sides, table: string): Generator<undefined, Difference | null> {
  const { columns, keys } = columnsOf(expected, table)
  const found = rowsOf(stored, table, keys)
  const expectedRows = rowsOf(expected, table, keys)
  const keyOf = (row: Values) => row.slice(0, keys.length)
  const named = (row: Values | undefined) => (row === undefined ? null : shown(columns, row))
  const difference = (key: Values, stored: Values | undefined, expected: Values | undefined): Difference => ({
    kind: "row",
    table,
    key: shown(keys, key),
    stored: named(stored),
    expected: named(expected)
  })
  try {
    for (;;) {
      const [left, right] = [nextOf(found), nextOf(expectedRows)]
      if (left === undefined && right === undefined) return null
      if (left === undefined || right === undefined)
        return difference(keyOf(left ?? right ?? []), left, right)
      const order = compareAll(keyOf(left), keyOf(right))
      if (order < 0) return difference(keyOf(left), left, undefined)
      if (order > 0) return difference(keyOf(right), undefined, right)
      if (compareAll(left, right) !== 0) return difference(keyOf(left), left, right)
      yield undefined
    }
  } finally {
    found.return?.()
    expectedRows.return?.()
  }
}

/** Key columns come first. In a table without a key, all columns count as key. */
const columnsOf = (db: DatabaseSync, table: string) => {
  const all = db
    .prepare("SELECT name, pk FROM pragma_table_info(?)")
    .all(table)
    .map(({ name, pk }) => ({ name: String(name), pk: Number(pk) }))
  const keyed = all.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
  const rest = all.filter(({ pk }) => pk === 0)
  const columns = [...keyed, ...rest].map(({ name }) => name)
  return { columns, keys: keyed.length === 0 ? columns : keyed.map(({ name }) => name) }
}

const rowsOf = (db: DatabaseSync, table: string, keys: ReadonlyArray<string>) => {
  const { columns } = columnsOf(db, table)
  const statement = db.prepare(
    `SELECT ${columns.map(quoted).join(", ")} FROM ${quoted(table)} ORDER BY ${keys.map(quoted).join(", ")}`
  )
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  return statement.iterate() as unknown as Iterator<Values>
}

const nextOf = (rows: Iterator<Values>): Values | undefined => {
  const step = rows.next()
  return step.done === true ? undefined : step.value
}

const quoted = (name: string) => `"${name}"`

/** Compares like SQLite: NULL, numbers, texts by their bytes, blobs. */
const compareAll = (left: Values, right: Values): number => {
  for (const [index, value] of left.entries()) {
    const order = compareValues(value, right[index] ?? null)
    if (order !== 0) return order
  }
  return 0
}

const compareValues = (left: SQLOutputValue, right: SQLOutputValue): number => {
  const [kind, otherKind] = [kindOf(left), kindOf(right)]
  if (kind !== otherKind || left === null || right === null) return kind - otherKind
  if (typeof left === "string" || typeof right === "string") {
    return left === right ? 0 : Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)))
  }
  if (left instanceof Uint8Array || right instanceof Uint8Array) {
    return left instanceof Uint8Array && right instanceof Uint8Array ? Buffer.compare(left, right) : 0
  }
  return left < right ? -1 : left > right ? 1 : 0
}

const kindOf = (value: SQLOutputValue): number => {
  if (value === null) return 0
  if (typeof value === "string") return 2
  return value instanceof Uint8Array ? 3 : 1
}

const shown = (columns: ReadonlyArray<string>, row: Values): Row =>
  Object.fromEntries(columns.map((column, index) => [column, shownValue(row[index] ?? null)]))

const shownValue = (value: SQLOutputValue): string | number | null => {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value
}

/** Statements of `node:sqlite` as `SqliteClient` runs them: prepared once where that pays, errors as `SqlError`. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite"
import { Effect, Predicate } from "effect"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"

export type Prepare = (sql: string) => StatementSync

/** Statements kept prepared; the least recently used goes first. */
const capacity = 256

export const uncached =
  (database: DatabaseSync): Prepare =>
  (sql) =>
    database.prepare(sql)

export const cached = (database: DatabaseSync): Prepare => {
  const statements = new Map<string, StatementSync>()
  return (sql) => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.delete(sql)
    statements.set(sql, statement)
    const oldest = statements.size > capacity ? statements.keys().next().value : undefined
    if (oldest !== undefined) statements.delete(oldest)
    return statement
  }
}

export interface RunOptions {
  readonly params: ReadonlyArray<unknown>
  readonly arrays: boolean
  /** Integers as bigint: without it one past 2⁵³ is an error. */
  readonly bigints: boolean
}

export const all = (
  statement: StatementSync,
  { params, arrays, bigints }: RunOptions
): ReadonlyArray<never> => {
  statement.setReturnArrays(arrays)
  statement.setReadBigInts(bigints)
  // `Connection` has `any` for a row: what a row is only its statement knows.
  return statement.all(...bind(params)) as ReadonlyArray<unknown> as ReadonlyArray<never>
}

/** The rows of a query; the number of changes and the last row id of anything else. */
export const raw = (statement: StatementSync, params: ReadonlyArray<unknown>): unknown =>
  statement.columns().length === 0
    ? statement.run(...bind(params))
    : all(statement, { params, arrays: false, bigints: false })

export const iterate = (statement: StatementSync, params: ReadonlyArray<unknown>) =>
  statement.iterate(...bind(params))

/** Up to `count` further rows; none at the end. */
export const next = (rows: ReturnType<typeof iterate>, count: number) => {
  const page: Array<Record<string, SQLOutputValue>> = []
  while (page.length < count) {
    const { done, value } = rows.next()
    if (done === true || value === undefined) break
    page.push(value)
  }
  return page
}

// What the driver cannot bind it refuses with a TypeError.
const bind = (params: ReadonlyArray<unknown>) => params as ReadonlyArray<SQLInputValue>

export const attempt = <A>(operation: string, run: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({ try: run, catch: (cause) => toSqlError(cause, operation) })

const toSqlError = (cause: unknown, operation: string): SqlError => {
  // `classifySqliteError` looks for SQLite's result code in `errno`, the driver puts it into `errcode`.
  if (Predicate.hasProperty(cause, "errcode")) Object.assign(cause, { errno: cause.errcode })
  return new SqlError({
    reason: classifySqliteError(cause, { message: `SQLite failed to ${operation}`, operation })
  })
}

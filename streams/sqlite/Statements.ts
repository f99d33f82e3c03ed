/** Runs statements of `node:sqlite` for `SqliteClient`: caches prepared statements and converts errors to `SqlError`. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite"
import { Effect, Predicate } from "effect"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"

export type Prepare = (sql: string) => StatementSync

/** The most prepared statements. The least recently used is dropped first. */
const capacity = 256

/**
 * SQLite plans a statement with a parameter as its LIMIT for the parameter's value, so it prepares the statement again at
 * each run. It has no value to plan for when the LIMIT is an expression.
 */
const plannedOnce = (sql: string): string => sql.replaceAll(/\bLIMIT \?/g, "LIMIT ? + 0")

export const uncached =
  (database: DatabaseSync): Prepare =>
  (sql) =>
    database.prepare(plannedOnce(sql))

export const cached = (database: DatabaseSync): Prepare => {
  const statements = new Map<string, StatementSync>()
  const prepare = uncached(database)
  return (sql) => {
    const statement = statements.get(sql) ?? prepare(sql)
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
  /** Reads integers as bigint. Without it, integers above 2⁵³ are errors. */
  readonly bigints: boolean
}

export const all = (
  statement: StatementSync,
  { params, arrays, bigints }: RunOptions
): ReadonlyArray<never> => {
  statement.setReturnArrays(arrays)
  statement.setReadBigInts(bigints)
  // `Connection` types rows as `any`: only the statement knows their type.
  return statement.all(...bind(params)) as ReadonlyArray<unknown> as ReadonlyArray<never>
}

/** The rows of a query. For other statements, the number of changes and the last row id. */
export const raw = (statement: StatementSync, params: ReadonlyArray<unknown>): unknown =>
  statement.columns().length === 0
    ? statement.run(...bind(params))
    : all(statement, { params, arrays: false, bigints: false })

export const iterate = (statement: StatementSync, params: ReadonlyArray<unknown>) =>
  statement.iterate(...bind(params))

/** Up to `count` further rows. Empty at the end. */
export const next = (rows: ReturnType<typeof iterate>, count: number) => {
  const page: Array<Record<string, SQLOutputValue>> = []
  while (page.length < count) {
    const { done, value } = rows.next()
    if (done === true || value === undefined) break
    page.push(value)
  }
  return page
}

// The driver throws a TypeError for values that it cannot bind.
const bind = (params: ReadonlyArray<unknown>) => params as ReadonlyArray<SQLInputValue>

export const attempt = <A>(operation: string, run: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({ try: run, catch: (cause) => toSqlError(cause, operation) })

const toSqlError = (cause: unknown, operation: string): SqlError => {
  // `classifySqliteError` expects SQLite's result code in `errno`; the driver sets `errcode`.
  if (Predicate.hasProperty(cause, "errcode")) Object.assign(cause, { errno: cause.errcode })
  return new SqlError({
    reason: classifySqliteError(cause, { message: `SQLite failed to ${operation}`, operation })
  })
}

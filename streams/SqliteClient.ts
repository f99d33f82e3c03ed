/**
 * `SqlClient` (effect/sql) over `node:sqlite`: the interface of `@effect/sql-sqlite-node` without a native build. It has one
 * connection for one statement or transaction at a time. Statements run synchronously on the calling thread.
 */
import { Effect, Layer, Option, type Scope, ScopedRef, Semaphore, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Database from "./sqlite/Database.ts"
import * as Statements from "./sqlite/Statements.ts"

/** Rows per chunk of a stream. */
const streamedRows = 128

const spanAttributes: ReadonlyArray<readonly [string, unknown]> = [["db.system.name", "sqlite"]]

interface SqliteConnection extends Connection {
  readonly isTransaction: () => boolean
}

/**
 * The connection is closed with the scope. A stream of rows occupies it until it ends: do not run other statements of the
 * same client while consuming one.
 */
export const make = (
  options: Database.OpenOptions
): Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope | Reactivity.Reactivity> =>
  makeSwitching({ ...options, filename: Effect.succeed(options.filename) })

/**
 * Like `make`, for the file that `filename` currently names. When the name changes, the next statement, stream or
 * transaction opens the new file and closes the old one, which is unused then.
 */
export const makeSwitching = Effect.fnUntraced(function* ({
  filename,
  onFailure = () => {},
  ...options
}: Omit<Database.OpenOptions, "filename"> & {
  readonly filename: Effect.Effect<string>
  /** Called with what SQLite threw, before the statement fails. */
  readonly onFailure?: (cause: unknown, filename: string) => void
}): Effect.fn.Return<SqlClient.SqlClient, SqlError, Scope.Scope | Reactivity.Reactivity> {
  const open = (filename: string) =>
    Effect.map(connect({ ...options, filename }, onFailure), (connection) => ({ filename, connection }))
  const opened = yield* ScopedRef.fromAcquire(Effect.flatMap(filename, open))
  const current = Effect.flatMap(filename, (name) => {
    const { connection, filename: openName } = ScopedRef.getUnsafe(opened)
    if (openName === name) return Effect.succeed(connection)
    return Effect.map(ScopedRef.set(opened, open(name)), () => ScopedRef.getUnsafe(opened).connection)
  })
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: current,
    semaphore: yield* Semaphore.make(1),
    isTransaction: (used) => used.isTransaction()
  })
  return yield* SqlClient.make({
    ...acquirers,
    compiler: Statement.makeCompilerSqlite(),
    driver: "node:sqlite",
    spanAttributes,
    beginTransaction: options.readOnly === true ? "BEGIN" : "BEGIN IMMEDIATE"
  })
})

export const layer = (options: Database.OpenOptions): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))

const connect = Effect.fnUntraced(function* (
  options: Database.OpenOptions,
  onFailure: (cause: unknown, filename: string) => void
) {
  const attempt: typeof Statements.attempt = (operation, run) =>
    Statements.attempt(operation, () => {
      try {
        return run()
      } catch (cause) {
        onFailure(cause, options.filename)
        throw cause
      }
    })
  const database = yield* Effect.acquireRelease(
    attempt("open", () => Database.open(options)),
    (database) => Effect.sync(() => database.close())
  )
  const cached = Statements.cached(database)
  const fresh = Statements.uncached(database)

  const run =
    (prepare: Statements.Prepare, arrays: boolean): Connection["executeValues"] =>
    (sql, params) =>
      Effect.withFiber((fiber) => {
        const bigints = fiber.getRef(SqlClient.SafeIntegers)
        return attempt("execute", () => Statements.all(prepare(sql), { params, arrays, bigints }))
      })
  const objects =
    (prepare: Statements.Prepare): Connection["execute"] =>
    (sql, params, transformRows) => {
      const rows: ReturnType<Connection["execute"]> = run(prepare, false)(sql, params)
      return transformRows === undefined ? rows : Effect.map(rows, transformRows)
    }

  return {
    isTransaction: () => database.isTransaction,
    execute: objects(cached),
    executeUnprepared: objects(fresh),
    executeValues: run(cached, true),
    executeValuesUnprepared: run(fresh, true),
    executeRaw: (sql, params) => attempt("execute", () => Statements.raw(cached(sql), params)),
    executeStream: (sql, params, transformRows = (rows) => rows) =>
      Effect.acquireRelease(
        attempt("execute", () => Statements.iterate(fresh(sql), params)),
        (rows) => Effect.sync(() => rows.return?.())
      ).pipe(
        Effect.map((rows) =>
          Stream.paginate(rows, (rows) =>
            attempt("execute", () => {
              const page = Statements.next(rows, streamedRows)
              return [transformRows(page), page.length === 0 ? Option.none() : Option.some(rows)] as const
            })
          )
        ),
        Stream.unwrap
      )
  } satisfies SqliteConnection
})

/** Reads columns of rows that the projection wrote. The tables are STRICT, so the types are known. */
import type { SQLOutputValue } from "node:sqlite"

/** A row of `StatementSync.get`. */
export type Columns = Readonly<Record<string, SQLOutputValue>>

type Column = SQLOutputValue | undefined

export const text = (column: Column): string => String(column)
export const integer = (column: Column): number => Number(column)
export const textOrNull = (column: Column): string | null => (isNull(column) ? null : String(column))
export const integerOrNull = (column: Column): number | null => (isNull(column) ? null : Number(column))

const isNull = (column: Column): column is null | undefined => column === null || column === undefined

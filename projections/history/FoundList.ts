/** The result of a filter: the number of requests, and access to any part of the list. */
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { rows } from "../ReadModels.ts"
import type { Part } from "./HistoryFilter.ts"
import { HistoryItem } from "./HistoryItem.ts"

export interface FoundList {
  readonly total: number
  /** Newest first. */
  readonly items: (part: Part) => Effect.Effect<ReadonlyArray<HistoryItem>, SqlError>
}

type Statement = Effect.Effect<ReadonlyArray<unknown>, SqlError>

export const items = rows(HistoryItem)

export const pageKeys = rows(Schema.Struct({ createdAt: Schema.Int, requestId: Schema.String }))

const totals = rows(Schema.Struct({ total: Schema.Int }))

export const totalOf = (statement: Statement): Effect.Effect<number, SqlError> =>
  Effect.map(totals(statement), ([counted]) => counted?.total ?? 0)

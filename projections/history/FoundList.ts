/** The result of a filter: the number of requests, and access to any part of the list. */
import { type Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { rows } from "../ReadModels.ts"
import type { Part } from "./HistoryFilter.ts"
import { HistoryItem } from "./HistoryItem.ts"

export interface FoundList {
  readonly total: number
  /** Newest first. */
  readonly items: (part: Part) => Effect.Effect<ReadonlyArray<HistoryItem>, SqlError>
}

export const items = rows(HistoryItem)

export const pageKeys = rows(Schema.Struct({ createdAt: Schema.Int, requestId: Schema.String }))

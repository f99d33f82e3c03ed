/** Filters, page keys and parts of lists of requests. */
import type { AccountId } from "#domain/Ids.ts"
import type { Status } from "#domain/inference-request/Status.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type * as Page from "../Page.ts"

export interface Filter {
  readonly accountId: AccountId
  readonly status?: Status | undefined
  readonly model?: ModelEndpoint | undefined
  /** Only these models, at most 20. */
  readonly models?: ReadonlyArray<ModelEndpoint> | undefined
  /** Unix time in ms, exclusive. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
  /** Every key must have its value. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** Where a page ended. The next page starts after it, whatever was added since. */
export interface PageKey {
  /** Unix time in ms. */
  readonly createdAt: number
  readonly requestId: string
}

export type Part = Page.Part<PageKey>

export type Bounds = Pick<Filter, "createdAfter" | "createdBefore">

/** A slice of a list: after `after` and up to and including `until`. `null` stands for the start or end of the list. */
export interface Slice {
  readonly after: PageKey | null
  readonly until: PageKey | null
}

/** Whether `key` comes after `other` in lists, which are newest first. */
export const isBehind = (key: PageKey, other: PageKey): boolean =>
  key.createdAt === other.createdAt ? key.requestId < other.requestId : key.createdAt < other.createdAt

/** The models that match. `null`: all. */
export const modelsOf = ({ model, models }: Filter): ReadonlyArray<ModelEndpoint> | null => {
  if (model === undefined) return models ?? null
  return models === undefined || models.includes(model) ? [model] : []
}

export type Entry = readonly [key: string, value: string]

export const entriesOf = ({ metadata }: Filter): ReadonlyArray<Entry> => Object.entries(metadata ?? {})

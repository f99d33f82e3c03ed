/** What a list of requests is of, and which part of it. */
import type { AccountId } from "#domain/Ids.ts"
import type { Status } from "#domain/inference-request/Status.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"

export interface Filter {
  readonly accountId: AccountId
  readonly status?: Status | undefined
  readonly model?: ModelEndpoint | undefined
  /** No others than these: at most 20. */
  readonly models?: ReadonlyArray<ModelEndpoint> | undefined
  /** Unix time in ms; the bounds themselves are left out. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
  /** Each key has that value. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** Where a page ended: the next one begins behind it, whatever has been added since. */
export interface PageKey {
  /** Unix time in ms. */
  readonly createdAt: number
  readonly requestId: string
}

/** Behind `after` if it is given, and `offset` requests further. */
export interface Part {
  readonly after: PageKey | null
  readonly offset: number
  readonly limit: number
}

export type Bounds = Pick<Filter, "createdAfter" | "createdBefore">

/** A piece of a list: behind `after`, up to `until`, which is in it; `null`: from the first one, and to the last. */
export interface Slice {
  readonly after: PageKey | null
  readonly until: PageKey | null
}

/** In the order of every list, newest first. */
export const isBehind = (place: PageKey, other: PageKey): boolean =>
  place.createdAt === other.createdAt ? place.requestId < other.requestId : place.createdAt < other.createdAt

/** The models that it lets through; `null`: all. */
export const modelsOf = ({ model, models }: Filter): ReadonlyArray<ModelEndpoint> | null => {
  if (model === undefined) return models ?? null
  return models === undefined || models.includes(model) ? [model] : []
}

export type Entry = readonly [key: string, value: string]

export const entriesOf = ({ metadata }: Filter): ReadonlyArray<Entry> => Object.entries(metadata ?? {})

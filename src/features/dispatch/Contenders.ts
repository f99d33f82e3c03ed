/** Shares the room within one pass, so that no model takes all of the room that other models wait for. */
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"

export interface Contenders {
  /** The part of a model's room for one of the endpoints that run on it. */
  readonly partOfModel: (endpoint: string, room: number) => number
  /** The part of a provider's room for one of its models. */
  readonly partOfProvider: (name: string, room: number) => number
}

/** One of `count` equal parts, at least one if there is any room. What is left over goes in the next pass. */
const partOf = (room: number, count: number): number => Math.ceil(room / Math.max(count, 1))

/** Models whose last served account is stored. */
const rememberedModels = 4_096

/** The account served last for each model, and when. Models that were not served for long are forgotten. */
export interface Served<Account> {
  /** The account that was served last for the model; `null` if unknown. */
  readonly lastOf: (endpoint: string) => Account | null
  readonly note: (endpoint: string, account: Account) => void
  /** The endpoints in the order of service: first those never served, then the longest unserved. */
  readonly inTurn: <Endpoint extends string>(endpoints: ReadonlyArray<Endpoint>) => ReadonlyArray<Endpoint>
}

export const served = <Account>(): Served<Account> => {
  const known = RecentlyUsed.make<{ readonly account: Account; readonly turn: number }>({
    capacity: rememberedModels
  })
  let turns = 0
  return {
    lastOf: (endpoint) => known.get(endpoint)?.account ?? null,
    note: (endpoint, account) => known.set(endpoint, { account, turn: ++turns }),
    inTurn: (endpoints) =>
      endpoints.length < 2
        ? endpoints
        : endpoints
            .map((endpoint) => ({ endpoint, turn: known.get(endpoint)?.turn ?? 0 }))
            .sort((a, b) => a.turn - b.turn)
            .map(({ endpoint }) => endpoint)
  }
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

/** Called with the models that have due requests. */
export const make = (entries: ReadonlyArray<CatalogEntry | null>): Contenders => {
  const models = new Map<string, number>()
  const providers = new Map<string, number>()
  for (const entry of entries) {
    if (entry === null) continue
    count(models, entry.runs)
    for (const { name } of entry.model.providers) count(providers, name)
  }
  return {
    partOfModel: (endpoint, room) => partOf(room, models.get(endpoint) ?? 1),
    partOfProvider: (name, room) => partOf(room, providers.get(name) ?? 1)
  }
}

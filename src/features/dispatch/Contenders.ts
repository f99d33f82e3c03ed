/** Who shares what there is in one pass: no model takes all the room that another one waits for, too. */
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"

export interface Contenders {
  /** The part of the model's room that one of those has whose requests it is to run. */
  readonly partOfModel: (endpoint: string, room: number) => number
  /** The part of the provider's room that one of its models has. */
  readonly partOfProvider: (name: string, room: number) => number
}

/** One of `count` equal parts, at least one where there is anything. What others leave goes in the next pass. */
const partOf = (room: number, count: number): number => Math.ceil(room / Math.max(count, 1))

/** Models of which it is known who was served last. */
const rememberedModels = 4_096

/** Who was served last of each model, and when. A model that was not served for long counts as one that never was. */
export interface Served<Account> {
  /** The account that was served last of the model; `null` when that is not known. */
  readonly lastOf: (endpoint: string) => Account | null
  readonly note: (endpoint: string, account: Account) => void
  /** The endpoints as they are served in a pass: those never served first, then as it was longest ago. */
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

/** Of a pass over models with due requests. */
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

/** Who shares what there is in one pass: no model takes all the room that another one waits for, too. */
import type { CatalogEntry } from "#src/models/Catalog.ts"

export interface Contenders {
  /** The part of the model's room that one of those has whose requests it is to run. */
  readonly partOfModel: (endpoint: string, room: number) => number
  /** The part of the provider's room that one of its models has. */
  readonly partOfProvider: (name: string, room: number) => number
}

/** One of `count` equal parts, at least one where there is anything. What others leave goes in the next pass. */
const partOf = (room: number, count: number): number => Math.ceil(room / Math.max(count, 1))

/** The endpoints as they are served in a pass: those never served first, then as it was longest ago. */
export const inTurn = <Endpoint extends string>(
  endpoints: ReadonlyArray<Endpoint>,
  /** In the order in which they were served. */
  served: ReadonlyMap<Endpoint, unknown>
): ReadonlyArray<Endpoint> => {
  if (endpoints.length < 2) return endpoints
  const places = new Map([...served.keys()].map((endpoint, place) => [endpoint, place]))
  const placeOf = (endpoint: Endpoint) => places.get(endpoint) ?? -1
  return endpoints.toSorted((a, b) => placeOf(a) - placeOf(b))
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

/** The order of search results: numbers from the most to the least important, lower first, then the name. */
import { Order, Schema } from "effect"

/** Also a stable position in a list to which items are added. */
export const Rank = Schema.Struct({ numbers: Schema.Array(Schema.Finite), name: Schema.String })
export type Rank = typeof Rank.Type

const numbers = Order.Array(Order.Number)

export const order: Order.Order<Rank> = Order.combine(
  Order.mapInput(numbers, (rank: Rank) => rank.numbers),
  Order.mapInput(Order.String, (rank: Rank) => rank.name)
)

/** @param createdAt Unix time in ms. */
export const newestFirst = (createdAt: number, name: string): Rank => ({ numbers: [-createdAt], name })

/** After every place of a curated list. */
const uncurated = 1_000_001

export interface Findable {
  readonly name: string
  readonly isDeprecated: boolean
  /** Its place in the curated list, from 1. */
  readonly recommended: number | undefined
  readonly createdAt: number
}

/** Among results that match a query equally well. */
export const ofEqual = ({ createdAt, isDeprecated, name, recommended = uncurated }: Findable): Rank => ({
  numbers: [isDeprecated ? 1 : 0, recommended, -createdAt],
  name
})

/** How well it matches a query. */
export interface Relevance {
  /** Matched words of the query. */
  readonly words: number
  /** Whether the query is its name. */
  readonly isNamed: boolean
  readonly score: number
}

export const ofFound = (equal: Rank, { isNamed, score, words }: Relevance): Rank => ({
  numbers: [-words, isNamed ? 0 : 1, -score, ...equal.numbers],
  name: equal.name
})

/**
 * Finds items by words. Returns items with all words of the query; if there are none, items with the most. An item
 * whose name is the query comes first; then the quality and place of the matches count.
 */
import { Order } from "effect"
import * as Rank from "./Rank.ts"
import * as Vocabulary from "./Vocabulary.ts"
import { folded, queryWords, wordsOf } from "./Words.ts"
import { type Grade, grader, grades } from "./WordMatch.ts"

export interface Searchable extends Rank.Findable {
  /** An exact match of one of them means this item. */
  readonly names: ReadonlyArray<string>
  /** Texts in the order of `weights`. */
  readonly texts: readonly [names: string, tags: string, description: string]
}

export interface Found<A> {
  readonly item: A
  readonly rank: () => Rank.Rank
}

/** For results of several indexes. */
export const bestFirst: Order.Order<Found<unknown>> = Order.mapInput(Rank.order, ({ rank }) => rank())

export interface SearchIndex<A> {
  /** Best first. Empty for a query without letters and digits. */
  search(query: string): ReadonlyArray<Found<A>>
  close(): void
}

/** A word in a name counts more than in a description, and less than a better match anywhere. */
const weights = [2, 1, 0] as const

const scoreOf = (grade: Grade, weight: number): number => grade * weights.length + weight

/** Above every score of a query. */
const scores = 1_024

const normal = (text: string): string => folded(text).trim()

/** By word: each item with its best text; a place combines index and weight in one number. */
const placesOf = (searchables: ReadonlyArray<Searchable>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const places = new Map<string, Array<number>>()
  searchables.forEach(({ texts }, index) => {
    const seen = new Set<string>()
    texts.forEach((text, at) => {
      for (const word of wordsOf(text)) {
        if (seen.has(word)) continue
        seen.add(word)
        const place = index * weights.length + (weights[at] ?? 0)
        const known = places.get(word)
        if (known === undefined) places.set(word, [place])
        else known.push(place)
      }
    })
  })
  return places
}

const namesOf = (searchables: ReadonlyArray<Searchable>): ReadonlyMap<string, ReadonlySet<number>> => {
  const named = new Map<string, Set<number>>()
  searchables.forEach(({ names }, index) => {
    for (const name of names.map(normal)) named.set(name, (named.get(name) ?? new Set()).add(index))
  })
  return named
}

export const make = <A>(items: ReadonlyArray<A>, describe: (item: A) => Searchable): SearchIndex<A> => {
  const entries = items
    .map((item) => {
      const searchable = describe(item)
      return { item, searchable, rank: Rank.ofEqual(searchable) }
    })
    // The index then decides among equals.
    .sort((a, b) => Rank.order(a.rank, b.rank))
  const searchables = entries.map(({ searchable }) => searchable)
  const named = namesOf(searchables)
  const places = placesOf(searchables)
  const words = [...places.keys()]
  const placesByWord = [...places.values()]
  const vocabulary = Vocabulary.make(words)

  /** Score of each item for a word; 0 without a match. */
  const answers = (queryWord: string): Uint8Array => {
    const best = new Uint8Array(entries.length)
    const gradeOf = grader(queryWord)
    for (const candidate of vocabulary.candidates(queryWord)) {
      const grade = gradeOf(words[candidate] ?? "")
      if (grade === grades.none) continue
      for (const place of placesByWord[candidate] ?? []) {
        const index = Math.floor(place / weights.length)
        best[index] = Math.max(best[index] ?? 0, scoreOf(grade, place % weights.length))
      }
    }
    return best
  }

  const search: SearchIndex<A>["search"] = (query) => {
    const found = queryWords(query).map(answers)
    const answered = entries.map((_, index) => found.filter((scores) => (scores[index] ?? 0) > 0).length)
    const most = answered.reduce((a, b) => Math.max(a, b), 0)
    if (most === 0) return []
    const known = named.get(normal(query))
    const isNamed = (index: number): boolean => known?.has(index) === true
    const total = (index: number): number => found.reduce((sum, scores) => sum + (scores[index] ?? 0), 0)
    // The order as one number, which sorts fast.
    const keyOf = (index: number): number =>
      ((isNamed(index) ? 0 : scores) + (scores - 1 - total(index))) * entries.length + index
    const keys = answered.flatMap((count, index) => (count === most ? keyOf(index) : []))
    return [...Float64Array.from(keys).sort()].flatMap((key) => {
      const index = key % entries.length
      const entry = entries[index]
      if (entry === undefined) return []
      const relevance = () => ({ words: most, isNamed: isNamed(index), score: total(index) })
      return { item: entry.item, rank: () => Rank.ofFound(entry.rank, relevance()) }
    })
  }

  return { search, close: () => vocabulary.close() }
}

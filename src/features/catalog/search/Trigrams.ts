/** Three letters in a row, of a word with edges: what an index of them has to be asked so that no answer is missed. */
import { shortestMisspelled, shortestPart } from "./WordMatch.ts"

/** In no word. */
const edge = "#"

/** As it is indexed. */
export const edged = (word: string): string => `${edge}${edge}${word}${edge}${edge}`

/** FTS5: what has all trigrams of a text. */
const allOf = (letters: ReadonlyArray<string>): string =>
  `(${letters
    .slice(2)
    .map((_, at) => `"${letters.slice(at, at + 3).join("")}"`)
    .join(" AND ")})`

const beginning = (letters: ReadonlyArray<string>) => allOf([edge, edge, ...letters])
const end = (letters: ReadonlyArray<string>) => allOf([...letters, edge, edge])

/**
 * An FTS5 query for every word that may answer the asked one. One edit spoils two neighbours at most: of the letters before
 * them, or of those behind, half are left. Among four the two in the middle may be swapped: then both ends are.
 */
export const queryOf = (asked: string): string => {
  const letters = [...asked]
  const { length } = letters
  if (length < shortestPart) return beginning(letters)
  if (length < shortestMisspelled) return allOf(letters)
  const half = Math.max(2, Math.floor((length - 1) / 2))
  const either = [allOf(letters), beginning(letters.slice(0, half)), end(letters.slice(-half))]
  const swapped = `(${beginning(letters.slice(0, 1))} AND ${end(letters.slice(-1))})`
  return (length === shortestMisspelled ? [...either, swapped] : either).join(" OR ")
}

/** The words that there are, in an FTS5 index of their trigrams that is kept in memory. */
import { DatabaseSync } from "node:sqlite"
import { shortestMisspelled, shortestPart } from "./WordMatch.ts"

/** In no word. */
const edge = "#"

/** As it is indexed. */
const edged = (word: string): string => `${edge}${edge}${word}${edge}${edge}`

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
const queryOf = (asked: string): string => {
  const letters = [...asked]
  const { length } = letters
  if (length < shortestPart) return beginning(letters)
  if (length < shortestMisspelled) return allOf(letters)
  const half = Math.max(2, Math.floor((length - 1) / 2))
  const either = [allOf(letters), beginning(letters.slice(0, half)), end(letters.slice(-half))]
  const swapped = `(${beginning(letters.slice(0, 1))} AND ${end(letters.slice(-1))})`
  return (length === shortestMisspelled ? [...either, swapped] : either).join(" OR ")
}

export interface Vocabulary {
  /** Indexes of every word that may answer the asked one, and of others: `WordMatch` tells. */
  candidates(asked: string): ReadonlyArray<number>
  close(): void
}

/** @param words each once. */
export const make = (words: ReadonlyArray<string>): Vocabulary => {
  const database = new DatabaseSync(":memory:")
  database.exec(
    "CREATE VIRTUAL TABLE words USING fts5(word, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')"
  )
  const insert = database.prepare("INSERT INTO words (rowid, word) VALUES (?, ?)")
  database.exec("BEGIN")
  words.forEach((word, index) => insert.run(index, edged(word)))
  database.exec("COMMIT")
  const matching = database.prepare("SELECT rowid AS word FROM words WHERE words MATCH ?")
  return {
    // Words are of letters and digits alone: nothing in them ends a quoted text.
    candidates: (asked) => matching.all(queryOf(asked)).map(({ word }) => Number(word)),
    close: () => database.close()
  }
}

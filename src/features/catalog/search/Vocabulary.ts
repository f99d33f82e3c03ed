/** The indexed words, in an in-memory FTS5 index of their trigrams. */
import { DatabaseSync } from "node:sqlite"
import { shortestMisspelled, shortestPart } from "./WordMatch.ts"

/** Not part of any word. */
const edge = "#"

/** As indexed. */
const edged = (word: string): string => `${edge}${edge}${word}${edge}${edge}`

/** FTS5: rows with all trigrams of a text. */
const allOf = (letters: ReadonlyArray<string>): string =>
  `(${letters
    .slice(2)
    .map((_, at) => `"${letters.slice(at, at + 3).join("")}"`)
    .join(" AND ")})`

const beginning = (letters: ReadonlyArray<string>) => allOf([edge, edge, ...letters])
const end = (letters: ReadonlyArray<string>) => allOf([...letters, edge, edge])

/**
 * A query for every word that may match. One edit spoils at most two neighbours, so half of the letters before or
 * behind it remain. In words of four letters the middle two may be swapped, and then both ends remain.
 */
const queryOf = (queryWord: string): string => {
  const letters = [...queryWord]
  const { length } = letters
  if (length < shortestPart) return beginning(letters)
  if (length < shortestMisspelled) return allOf(letters)
  const half = Math.max(2, Math.floor((length - 1) / 2))
  const either = [allOf(letters), beginning(letters.slice(0, half)), end(letters.slice(-half))]
  const swapped = `(${beginning(letters.slice(0, 1))} AND ${end(letters.slice(-1))})`
  return (length === shortestMisspelled ? [...either, swapped] : either).join(" OR ")
}

export interface Vocabulary {
  /** Indexes of all words that may match, and of others; `WordMatch` decides. */
  candidates(queryWord: string): ReadonlyArray<number>
  close(): void
}

/** @param words without duplicates. */
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
    // Words contain only letters and digits, so quoting is safe.
    candidates: (queryWord) => matching.all(queryOf(queryWord)).map(({ word }) => Number(word)),
    close: () => database.close()
  }
}

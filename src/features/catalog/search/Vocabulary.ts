/** The words that there are, in an FTS5 index of their trigrams that is kept in memory. */
import { DatabaseSync } from "node:sqlite"
import * as Trigrams from "./Trigrams.ts"

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
  words.forEach((word, index) => insert.run(index, Trigrams.edged(word)))
  database.exec("COMMIT")
  const matching = database.prepare("SELECT rowid AS word FROM words WHERE words MATCH ?")
  return {
    // Words are of letters and digits alone: nothing in them ends a quoted text.
    candidates: (asked) => matching.all(Trigrams.queryOf(asked)).map(({ word }) => Number(word)),
    close: () => database.close()
  }
}

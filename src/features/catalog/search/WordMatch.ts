/** How well a word matches a searched word. */
import { isOneEditApart } from "#src/kernel/text/EditDistance.ts"

/** Words with fewer letters must match exactly. */
export const shortestMisspelled = 4

/** Shorter parts occur in too many words. */
export const shortestPart = 3

/** Higher is better; 0 for no match. */
export const grades = { word: 4, prefix: 3, part: 2, misspelled: 1, none: 0 } as const

export type Grade = (typeof grades)[keyof typeof grades]

/** @param queryWord a word of a query. Both are in the form of `Words`. */
export const grader = (queryWord: string): ((word: string) => Grade) => {
  const { length } = [...queryWord]
  return (word) => {
    if (word.startsWith(queryWord)) return word.length === queryWord.length ? grades.word : grades.prefix
    if (length >= shortestPart && word.includes(queryWord)) return grades.part
    return length >= shortestMisspelled && isOneEditApart(queryWord, word) ? grades.misspelled : grades.none
  }
}

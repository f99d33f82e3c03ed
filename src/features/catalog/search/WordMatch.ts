/** How well one word answers another that is searched for. */
import { isOneEditApart } from "#src/kernel/text/EditDistance.ts"

/** Below this many letters another word is no misspelling, but another word. */
export const shortestMisspelled = 4

/** Below this many letters a word is in too many others. */
export const shortestPart = 3

/** Better ones are higher; 0 for none. */
export const grades = { word: 4, prefix: 3, part: 2, misspelled: 1, none: 0 } as const

export type Grade = (typeof grades)[keyof typeof grades]

/** @param asked a word of a query; all words are as `Words` has them. */
export const grader = (asked: string): ((word: string) => Grade) => {
  const { length } = [...asked]
  return (word) => {
    if (word.startsWith(asked)) return word.length === asked.length ? grades.word : grades.prefix
    if (length >= shortestPart && word.includes(asked)) return grades.part
    return length >= shortestMisspelled && isOneEditApart(asked, word) ? grades.misspelled : grades.none
  }
}

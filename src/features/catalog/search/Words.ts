/** The searchable words of a text, in lower case and without accents. */

/** Characters of a word that count. */
const longestWord = 64

/** Words of a query that count. */
export const mostWords = 12

/** Letters, digits and combining marks. */
const word = /[\p{L}\p{N}\p{M}]+/gu
const accents = /[\u0300-\u036f]/g

/** Lower case, without accents, with compatible forms replaced (`ﬁ` becomes `fi`). */
export const folded = (text: string): string =>
  text.normalize("NFKD").replace(accents, "").toLowerCase().normalize("NFC")

/** In order, with repetitions. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  (folded(text).match(word) ?? []).map((found) =>
    found.length <= longestWord ? found : [...found].slice(0, longestWord).join("")
  )

/** The words of a query, without repetitions. */
export const queryWords = (text: string): ReadonlyArray<string> =>
  [...new Set(wordsOf(text))].slice(0, mostWords)

/** What a text is searched by: its words, in lower case and without accents. */

/** Characters of a word that count. */
const longestWord = 64

/** Words of a query that count: more make no search better. */
export const mostWords = 12

/** Letters, digits and the marks that some scripts have on their letters. */
const word = /[\p{L}\p{N}\p{M}]+/gu
const accents = /[\u0300-\u036f]/g

/** Lower case, without accents, in the form that looks alike (`ﬁ` is `fi`). */
export const folded = (text: string): string =>
  text.normalize("NFKD").replace(accents, "").toLowerCase().normalize("NFC")

/** In their order, also those that come again. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  (folded(text).match(word) ?? []).map((found) =>
    found.length <= longestWord ? found : [...found].slice(0, longestWord).join("")
  )

/** The words that a query asks for, each once. */
export const queryWords = (text: string): ReadonlyArray<string> =>
  [...new Set(wordsOf(text))].slice(0, mostWords)

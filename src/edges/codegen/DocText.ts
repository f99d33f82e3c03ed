/** Writes text of a catalog into comments and literals of generated code, so that the text cannot end them. */

/** Control characters, separators of lines and marks that turn the direction of a text: a reader would see other code than the compiler. */
const hidden = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

/** Lines of at most about `width` characters, without hidden characters. Paragraphs are divided by an empty line. */
export const lines = (paragraphs: ReadonlyArray<string>, width: number): ReadonlyArray<string> =>
  paragraphs
    .map((paragraph) =>
      paragraph
        .split(/\r\n|[\r\n\u2028\u2029]/)
        .flatMap((line) => wrapped(line.replaceAll("\t", " ").replaceAll(hidden, "").trim(), width))
    )
    .filter((paragraph) => paragraph.some((line) => line !== ""))
    .flatMap((paragraph, index) => (index === 0 ? paragraph : ["", ...paragraph]))

const wrapped = (line: string, width: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let last = ""
  for (const word of line.split(/ +/)) {
    if (last !== "" && last.length + 1 + word.length > width) {
      found.push(last)
      last = word
    } else last = last === "" ? word : `${last} ${word}`
  }
  return [...found, last]
}

/** A literal in double quotes, which means the same in TypeScript and in Python. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    hidden,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

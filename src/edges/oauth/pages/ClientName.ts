/** A client's name as text that cannot be mistaken for other parts of the page. */

/** Characters. */
const longest = 60

/** Control and invisible characters: they change the direction of text or make names look alike. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/** Invisible letters, symbols and marks that Unicode does not classify so: Braille, music, Khitan, hieroglyphs. */
const blank = /[\u2800\u{1d159}\u{16fe4}\u{13441}\u{13442}]/gu

/** Stacked marks cover the lines around. No letter of a name has more than two once it is composed. */
const piled = /(?<=\p{M}{2})\p{M}+/gu

/** Marks without a base character. */
const loose = /(?<=^| )\p{M}+/gu

/** `null` when nothing readable remains. */
export const readable = (name: string): string | null => {
  const words = name
    .toWellFormed()
    .replaceAll(/\s+/gu, " ")
    .replaceAll(unseen, "")
    .replaceAll(blank, "")
    .normalize("NFC")
    .replaceAll(loose, "")
    .replaceAll(piled, "")
    .replaceAll(/ +/g, " ")
    .trim()
  return words === "" ? null : words
}

/** The name as the page shows it. */
export const shown = (name: string | null): string | null => {
  const words = name === null ? null : readable(name)
  if (words === null) return null
  const characters = Array.from(words)
  return characters.length > longest ? `${characters.slice(0, longest).join("").trimEnd()}…` : words
}

/** What a client calls itself, as text that cannot pass for anything around it. */

/** Characters. */
const longest = 60

/** Controls and invisible ones: they turn the direction of what follows, or make one name look like another. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/** Letters, symbols and marks that show nothing, and that Unicode does not call so: Braille, music, Khitan, hieroglyphs. */
const blank = /[\u2800\u{1d159}\u{16fe4}\u{13441}\u{13442}]/gu

/** Marks pile up over the lines around. No letter of a name has more than two once it is composed. */
const piled = /(?<=\p{M}{2})\p{M}+/gu

/** With nothing to stand on. */
const loose = /(?<=^| )\p{M}+/gu

/** `null` when nothing is left that could be read. */
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

/** As the page shows it. */
export const shown = (name: string | null): string | null => {
  const words = name === null ? null : readable(name)
  if (words === null) return null
  const characters = Array.from(words)
  return characters.length > longest ? `${characters.slice(0, longest).join("").trimEnd()}…` : words
}

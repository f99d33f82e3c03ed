/** What a client calls itself, as text that cannot pass for anything around it. */

/** Characters. */
const longest = 60

/** Controls and invisible ones: they turn the direction of what follows, or make one name look like another. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** `null` when nothing is left that could be read. */
export const shown = (name: string | null): string | null => {
  const words = (name ?? "").replaceAll(/\s+/gu, " ").replaceAll(unseen, "").trim()
  if (words === "") return null
  const characters = Array.from(words)
  return characters.length > longest ? `${characters.slice(0, longest).join("").trimEnd()}…` : words
}

/** Whether a text is probably Markdown: models seldom say so. */

/** Longer texts are shown as they are: laying them out would hold up the page. */
const longestMarkdown = 100_000

const signs = [
  /^#{1,6} \S/m,
  /^```/m,
  /^(?:[-*+] .+\n){2}/m,
  /^(?:\d+[.)] .+\n){2}/m,
  /^\|.+\|\n\|[-: |]+\|/m,
  /\*\*[^\s*][^*\n]*\*\*/,
  /\[[^\]\n]+\]\(https?:\/\/[^)\s]+\)/
]

export const isMarkdown = (text: string): boolean =>
  text.length <= longestMarkdown && signs.some((sign) => sign.test(text))

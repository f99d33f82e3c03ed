/** Whether a text is probably Markdown: models seldom say so. */

/** Longer texts are shown as they are: laying them out would hold up the page. */
const longestMarkdown = 50_000

/** Quotes and lists within each other, on one line, that take seconds to lay out, and are no text of anybody. */
const tooDeep = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){16}/m

const signs = [
  /^#{1,6} \S/m,
  /^```/m,
  /^(?:[-*+] .+\n){2}/m,
  /^(?:\d+[.)] .+\n){2}/m,
  /^\|.+\|\n\|[-: |]+\|/m,
  /\*\*[^\s*][^*\n]*\*\*/,
  /\[[^[\]\n]{1,500}\]\(https?:\/\/[^)\s]+\)/
]

/** Whether it can be laid out without holding up the page. */
export const canBeMarkdown = (text: string): boolean => text.length <= longestMarkdown && !tooDeep.test(text)

export const isMarkdown = (text: string): boolean =>
  canBeMarkdown(text) && signs.some((sign) => sign.test(text))

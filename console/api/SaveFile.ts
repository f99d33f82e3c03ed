/** Lets the browser save what the page holds as a file. */

/** Time that the browser has to begin, ms. */
const keptMs = 10_000

/** @param type a media type, such as `text/csv`. */
export const saveFile = (name: string, type: string, content: Blob | string): void => {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), keptMs)
}

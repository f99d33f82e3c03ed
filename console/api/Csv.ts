/** Tables as files of comma-separated values (RFC 4180), which the browser saves. */

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value

export const csvOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.map((row) => `${row.map(quoted).join(",")}\r\n`).join("")

/** Saves a text as a file. */
export const save = (name: string, type: string, content: Blob | string): void => {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

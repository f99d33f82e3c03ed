/** Comma-separated values (RFC 4180), in which spreadsheets find no formulas. */

/** A field that spreadsheets read as a formula, with leading blanks and full-width signs. */
const formula = /^\s*[=+\-@\t\r＝＋－＠]/u

/** A text field. A formula gets a leading apostrophe, which makes it text. */
export const text = (value: string): string => {
  const shown = formula.test(value) ? `'${value}` : value
  return /[",\r\n']/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
}

/** One line. Numbers are written as they are, all other fields through `text`. */
export const line = (fields: ReadonlyArray<string>): string => `${fields.join(",")}\r\n`

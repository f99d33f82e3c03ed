/** Comma-separated values (RFC 4180), in which no spreadsheet takes a text for a formula. */

/** What spreadsheets take for a formula at the beginning of a field, blanks and their wide forms included. */
const formula = /^\s*[=+\-@\t\r＝＋－＠]/u

/** A field of text. With an apostrophe before it a formula is text. */
export const text = (value: string): string => {
  const shown = formula.test(value) ? `'${value}` : value
  return /[",\r\n']/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
}

/** Fields as they are written: a number as it is, anything else through `text`. */
export const line = (fields: ReadonlyArray<string>): string => `${fields.join(",")}\r\n`

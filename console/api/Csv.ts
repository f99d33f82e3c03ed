/** Tables as comma-separated values (RFC 4180). */

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value

export const csvOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.map((row) => `${row.map(quoted).join(",")}\r\n`).join("")

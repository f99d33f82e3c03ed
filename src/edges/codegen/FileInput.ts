/** Whether a text of an input is the address of a file. JSON Schema has no word for it, so its format, pattern and name tell. */

const fileName =
  /(?:^|_)(?:image|picture|photo|mask|audio|voice|video|film|clip|file|document|mesh)(?:_?(?:url|uri|path|file))?s?$/

/** As `init_image` for `initImage`. */
const snake = (name: string) =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase()

/** A pattern that lets `data:` URIs through, as that of a file does. */
const takesData = (pattern: unknown) =>
  typeof pattern === "string" && /data|\[Dd\]\[Aa\]\[Tt\]\[Aa\]/.test(pattern) && pattern.includes(":")

/** Too short for an address. */
const isShort = (maxLength: unknown) => typeof maxLength === "number" && maxLength < 64

/** @param name of the nearest field */
export const isFile = (schema: Readonly<Record<string, unknown>>, name: string): boolean => {
  const { contentMediaType, format, maxLength, pattern } = schema
  if (typeof contentMediaType === "string" && !contentMediaType.startsWith("text/")) return true
  if (format === "uri" || format === "url" || takesData(pattern)) return true
  const isAddress = format === undefined || format === "uri-reference"
  return isAddress && pattern === undefined && fileName.test(snake(name)) && !isShort(maxLength)
}

/** `X-Request-Metadata` on submit (decisions, "Metadata at submit"): a JSON object of strings. */
import { Result } from "effect"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"

export const maxBytes = 2 * 1024
export const maxKeys = 16
const name = "X-Request-Metadata"

const utf8 = new TextDecoder("utf-8", { fatal: true })

export type Metadata = Readonly<Record<string, string>>

const none: Parsed<Metadata> = Result.succeed({})

export const parse = (header: string | undefined): Parsed<Metadata> =>
  // Header bytes arrive as one character each, whatever their encoding.
  header === undefined ? none : parseBytes(name, Buffer.from(header, "latin1"))

/** @param name the field in issues. */
export const parseBytes = (name: string, bytes: Uint8Array): Parsed<Metadata> => {
  if (bytes.length > maxBytes) return invalid(issue([name], "maxLength", `must not exceed ${maxBytes} bytes`))
  const json = parseJson(bytes)
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return invalid(issue([name], "type", "must be a JSON object of strings"))
  }
  const entries: ReadonlyArray<readonly [string, unknown]> = Object.entries(json)
  const issues = entries.flatMap(([key, value]) => {
    if (key === "__proto__") return [issue([name], "key", "must not have the key __proto__")]
    return typeof value === "string" ? [] : [issue([name, key], "type", "must be string")]
  })
  if (entries.length > maxKeys)
    issues.push(issue([name], "maxProperties", `must have at most ${maxKeys} keys`))
  return issues.length > 0 ? Result.fail(issues) : Result.succeed(stringsOf(entries))
}

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

const stringsOf = (entries: ReadonlyArray<readonly [string, unknown]>): Metadata =>
  Object.fromEntries(entries.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])))

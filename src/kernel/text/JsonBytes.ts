/**
 * Parses untrusted JSON (security, "JSON parsing"): valid UTF-8, at most `maxDepth` levels, finite numbers. The value remembers its
 * text (`JsonText`).
 */
import { Result } from "effect"
import { isList, type Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as JsonScan from "./JsonScan.ts"

export const maxDepth = 128

/** The most heap that the values of one text may take, in bytes: some 250,000 arrays or objects (docs/decisions/0038). */
export const maxWeight = 16 * 1024 * 1024

export type JsonError = "too_many_values" | "not_utf8" | "not_json" | "too_deep" | "not_finite"

const limits = { maxDepth, maxWeight }

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Scans a text without parsing it. See `JsonScan` for the weight. */
export const look = (bytes: Uint8Array): Result.Result<JsonScan.Scan, "too_deep" | "too_many_values"> => {
  const scan = JsonScan.scan(bytes, limits)
  if (scan.depth > maxDepth) return Result.fail("too_deep")
  return scan.weight > maxWeight ? Result.fail("too_many_values") : Result.succeed(scan)
}

/** Parses after a scan that bounds the memory of the value. Never throws. */
export const parse = (bytes: Uint8Array): Result.Result<Json, JsonError> =>
  Result.flatMap(look(bytes), (scan) => parseLooked(bytes, scan))

/** `parse` for a text that has been scanned. */
export const parseLooked = (
  bytes: Uint8Array,
  { mayOverflow }: JsonScan.Scan
): Result.Result<Json, JsonError> => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return Result.fail("not_utf8")
  }
  let json: Json
  try {
    json = JsonText.parse(text)
  } catch {
    return Result.fail("not_json")
  }
  return mayOverflow && !isFinite(json) ? Result.fail("not_finite") : Result.succeed(json)
}

const isFinite = (json: Json): boolean => {
  if (typeof json === "number") return Number.isFinite(json)
  return typeof json !== "object" || json === null || Object.values(json).every(isFinite)
}

/**
 * The path of a member that repeats a name of its object; `null` without one. JSON does not say which of them counts, so a validator
 * and the model could read different values.
 */
export const repeatedName = (json: Json, { names }: JsonScan.Scan): JsonText.Path | null =>
  countNames(json) === names ? null : JsonText.repeatedName(JsonText.write(json))

const countNames = (json: Json): number => {
  if (typeof json !== "object" || json === null) return 0
  if (isList(json)) {
    let names = 0
    for (const item of json) if (typeof item === "object") names += countNames(item)
    return names
  }
  let names = 0
  for (const name in json) {
    names++
    const member = json[name]
    if (typeof member === "object") names += countNames(member)
  }
  return names
}

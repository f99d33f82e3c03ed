/**
 * Sizes on both sides of each internal limit of an input: that of a payload beside its event and of a format's own pattern
 * (64 KiB), of the lane of large bodies (256 KiB, and 1 MiB of values), and of a body (10 MiB).
 */
import { isObject, type Json } from "#domain/CanonicalJson.ts"

const KiB = 1024

const limits = [64 * KiB, 256 * KiB, 1024 * KiB]

/** Bytes: at the start, around each limit, and as long as a body may be with what an edge puts around it. */
export const all: ReadonlyArray<number> = [
  2 * KiB,
  ...limits.flatMap((limit) => [limit - 100, limit, limit + 1, limit + 100]),
  10_240 * KiB - 200
]

const longer = (json: Json, more: string): Json => {
  if (typeof json === "string") return json + more
  if (Array.isArray(json)) return json.map((item: Json, index) => (index === 0 ? longer(item, more) : item))
  if (!isObject(json)) return json
  const name = Object.keys(json).findLast((key) => longer(json[key] ?? null, "x") !== json[key])
  return name === undefined ? json : { ...json, [name]: longer(json[name] ?? null, more) }
}

/** The input with a longer text, so that its JSON has so many bytes. */
export const grown = (input: Json, bytes: number): Json =>
  longer(input, "x".repeat(bytes - Buffer.byteLength(JSON.stringify(input))))

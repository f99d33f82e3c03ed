/** Sizes in bytes as people write them: `100GiB`, `1.5 TB`, `0B`. */
import { Option } from "effect"

/** Bytes of each unit, the largest first. */
const units = [
  ["TiB", 1024 ** 4],
  ["TB", 1000 ** 4],
  ["GiB", 1024 ** 3],
  ["GB", 1000 ** 3],
  ["MiB", 1024 ** 2],
  ["MB", 1000 ** 2],
  ["KiB", 1024],
  ["KB", 1000],
  ["B", 1]
] as const

const bytesOf: ReadonlyMap<string, number> = new Map(
  units.map(([unit, bytes]) => [unit.toLowerCase(), bytes])
)

/** The unit is required: a number without one is ambiguous. */
const pattern = /^(\d{1,16}(?:\.\d{1,9})?) ?([KMGT]?i?B)$/i

/** Rounds to whole bytes. Case-insensitive. */
export const parse = (text: string): Option.Option<number> => {
  const [, amount, unit = ""] = pattern.exec(text) ?? []
  const bytes = Math.round(Number(amount) * (bytesOf.get(unit.toLowerCase()) ?? Number.NaN))
  return Number.isSafeInteger(bytes) ? Option.some(bytes) : Option.none()
}

/** Exact, in the largest unit without a fraction. `parse` accepts the result. */
export const format = (bytes: number): string => {
  const [unit, size] = units.find(([, size]) => bytes > 0 && bytes % size === 0) ?? (["B", 1] as const)
  return `${bytes / size} ${unit}`
}

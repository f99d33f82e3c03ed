/** Names of parts in the store: number, time of arrival, size and MD5. They sort by number and then by time. */
import type { UploadedPart } from "#src/platform/blobs/Part.ts"

export interface NamedPart extends UploadedPart {
  /** Last segment of the key. */
  readonly name: string
  /** Unix time in ms. */
  readonly at: number
}

const form = /^(\d{5})-([0-9a-z]{9})-(\d{1,16})-([0-9a-f]{32})$/

/** The common prefix of all parts with one number. */
export const prefixOf = (partNumber: number): string => `${partNumber.toString().padStart(5, "0")}-`

/** @param at Unix time in ms: 9 digits of base 36 last until the year 5188. */
export const make = ({ etag, partNumber, size }: UploadedPart, at: number): string =>
  `${prefixOf(partNumber)}${at.toString(36).padStart(9, "0")}-${size}-${etag}`

/** `null` if it is not a part. */
export const parse = (name: string): NamedPart | null => {
  const [, number, at, size, etag] = form.exec(name) ?? []
  return number === undefined || at === undefined || size === undefined || etag === undefined
    ? null
    : { name, partNumber: Number(number), at: Number.parseInt(at, 36), size: Number(size), etag }
}

/** @param names in ascending order. */
export const newest = (names: ReadonlyArray<string>): ReadonlyArray<NamedPart> => {
  const parts = new Map<number, NamedPart>()
  for (const name of names) {
    const part = parse(name)
    if (part !== null) parts.set(part.partNumber, part)
  }
  return [...parts.values()]
}

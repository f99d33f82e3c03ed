/** Formats and parses sizes in bytes. */
import { ByteSize, Option } from "effect"

export const MiB = 1024 * 1024

/** `5 GiB`, `117.7 MiB`. */
export const format = (bytes: number): string =>
  ByteSize.format(ByteSize.bytes(Math.max(0, Math.round(bytes))), { precision: 1, system: "binary" })

/** Parses `16MiB` or `16 MB` into a whole number of bytes. */
export const parse = (text: string): Option.Option<number> =>
  Option.flatMap(ByteSize.fromString(text), ByteSize.toNumber)

/** Numbers of bytes as people write and read them. */
import { ByteSize, Option } from "effect"

export const MiB = 1024 * 1024

/** `5 GiB`, `117.7 MiB`. */
export const format = (bytes: number): string =>
  ByteSize.format(ByteSize.bytes(Math.max(0, Math.round(bytes))), { precision: 1, system: "binary" })

/** Of `16MiB` or `16 MB`, as a whole number of bytes. */
export const parse = (text: string): Option.Option<number> =>
  Option.flatMap(ByteSize.fromString(text), ByteSize.toNumber)

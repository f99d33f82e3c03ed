/** A file of exported events that a later export continues. Only an incomplete last line is ever removed. */
import { ByteSize, Effect, FileSystem, type PlatformError, Schema } from "effect"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as Stdout from "#src/cli/Stdout.ts"

/** The last complete line of a file. */
export const LastLine = Schema.Struct({ position: GlobalPosition, hash: Schema.String })
export type LastLine = typeof LastLine.Type

const notAnExport = "the existing file is not an export of a log. Nothing was written"

const beginning = `{"position":"`
const newline = 0x0a

/** Bytes per read, from the end towards the beginning. */
const blockSize = 64 * 1024
/** Bytes. Every line is shorter. */
const longestLine = 64 * 1024 * 1024

const decodeLast = Schema.decodeEffect(Schema.fromJsonString(LastLine))

/** Creates a missing file. An existing file is changed only after it is recognized as an export. */
export const open = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const failed = (what: string) => (error: PlatformError.PlatformError) =>
    refused(`${what}: ${Stdout.causeOf(error)}`)
  const unreadable = Effect.mapError(failed("cannot be opened"))
  const unwritable = Effect.mapError(failed("cannot be written; run the same command again to continue"))
  const refused = (reason: string) => new CommandError({ message: `${file}: ${reason}` })

  const handle = yield* unreadable(fileSystem.open(file, { flag: "a+", mode: 0o600 }))
  const info = yield* unreadable(handle.stat)
  if (info.type !== "File") {
    return yield* refused("not a regular file: omit --to and redirect stdout instead")
  }
  const size = ByteSize.toNumberUnsafe(info.size)

  const readAt = Effect.fnUntraced(function* (from: number, length: number) {
    const block = Buffer.alloc(length)
    let filled = 0
    while (filled < length) {
      const read = yield* unreadable(handle.read(block.subarray(filled), { position: BigInt(from + filled) }))
      if (read === 0) return yield* refused("the file shrank while it was read")
      filled += read
    }
    return block
  })

  /** Reads the end of the file, at least from the newline before its last complete line. */
  const readEnd = Effect.gen(function* () {
    let end = Buffer.alloc(0)
    let from = size
    while (from > 0) {
      const last = end.lastIndexOf(newline)
      if (last > 0 && end.lastIndexOf(newline, last - 1) >= 0) break
      if (end.length > longestLine) return yield* refused(notAnExport)
      const length = Math.min(blockSize, from)
      from -= length
      end = Buffer.concat([yield* readAt(from, length), end])
    }
    return { end, from }
  })

  const { end, from } = yield* readEnd
  const lastNewline = end.lastIndexOf(newline)
  const torn = end.subarray(lastNewline + 1, lastNewline + 1 + beginning.length).toString()
  if (!beginning.startsWith(torn)) return yield* refused(notAnExport)
  const line = end.subarray(end.lastIndexOf(newline, lastNewline - 1) + 1, Math.max(0, lastNewline))
  const last =
    lastNewline < 0 ? null : yield* Effect.mapError(decodeLast(line.toString()), () => refused(notAnExport))

  return {
    /** `null` when the file has no complete line. */
    last,
    /** Removes the text after the last complete line. */
    removeTornLine: unwritable(handle.truncate(from + lastNewline + 1)),
    append: (lines: string) => unwritable(handle.writeAll(Buffer.from(lines))),
    /** Returns when all appended lines are on disk. */
    sync: unwritable(handle.sync)
  }
})

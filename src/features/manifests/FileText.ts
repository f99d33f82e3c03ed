/** The text of a file that somebody else may change, or put something else in place of, at any time. */
import * as fs from "node:fs/promises"
import { Effect } from "effect"

/** Bytes of one file. */
export const largestFile = 1_024 * 1_024

/** In words that are told. */
class Refused extends Error {}

/** Does not wait for a writer, as a pipe would have it, and follows no link: the path is a real one. */
const flags = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW

const bytesOf = async (file: string): Promise<Uint8Array> => {
  const handle = await fs.open(file, flags)
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new Refused("Expected a file")
    // A folder on the way to it may have become a link to somewhere else.
    if ((await fs.realpath(file)) !== file) throw new Refused("It cannot be read")
    const bytes = new Uint8Array(Math.min(stat.size, largestFile) + 1)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length)
      if (bytesRead === 0) return bytes.subarray(0, length)
      length += bytesRead
    }
    throw new Refused(
      stat.size >= largestFile ? `Expected at most ${largestFile} bytes` : "It grows while it is read"
    )
  } finally {
    await handle.close()
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Of a path without symbolic links. Fails with what is wrong in words. */
export const read = (file: string): Effect.Effect<string, string> =>
  Effect.tryPromise({
    try: () => bytesOf(file),
    catch: (cause) => (cause instanceof Refused ? cause.message : "It cannot be read")
  }).pipe(
    Effect.flatMap((bytes) =>
      Effect.try({ try: () => utf8.decode(bytes), catch: () => "Expected text in UTF-8" })
    )
  )

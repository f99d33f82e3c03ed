/** The text of a file that may be changed or replaced at any time. */
import * as fs from "node:fs/promises"
import { Effect } from "effect"

/** The most bytes of one file. */
export const largestFile = 1_024 * 1_024

/** A reason that can be shown. */
class Refused extends Error {}

/** Does not block on a pipe, and follows no link: the path is a real one. */
const flags = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW

const bytesOf = async (file: string): Promise<Uint8Array> => {
  const handle = await fs.open(file, flags)
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw new Refused("Expected a file")
    // A parent folder may have become a link to another place.
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

/** For a path without symbolic links. Fails with a reason in words. */
export const read = (file: string): Effect.Effect<string, string> =>
  Effect.tryPromise({
    try: () => bytesOf(file),
    catch: (cause) => (cause instanceof Refused ? cause.message : "It cannot be read")
  }).pipe(
    Effect.flatMap((bytes) =>
      Effect.try({ try: () => utf8.decode(bytes), catch: () => "Expected text in UTF-8" })
    )
  )

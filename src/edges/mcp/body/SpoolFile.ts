/** Writes one string of a message to a file. */
import { isAscii } from "node:buffer"
import * as crypto from "node:crypto"
import { Effect, FileSystem } from "effect"
import * as TextEscapes from "./TextEscapes.ts"

export type SpoolFile = ReturnType<typeof make>

export const make = () => {
  const escapes = TextEscapes.make()
  const utf8 = new TextDecoder("utf-8", { fatal: true })
  let isAllAscii = true
  let fault: "not_json" | "not_utf8" | null = null
  let waiting: Array<Uint8Array> = []
  let size = 0
  let file: FileSystem.File | null = null

  /** Fast for base64, the usual content. */
  const isText = (bytes: Uint8Array): boolean => {
    isAllAscii &&= isAscii(bytes)
    return isAllAscii || decodes(utf8, bytes)
  }

  const take = (bytes: Uint8Array | null) => {
    if (bytes === null) return void (fault ??= "not_json")
    if (!isText(bytes)) return void (fault ??= "not_utf8")
    size += bytes.length
    waiting.push(bytes)
  }

  // A write is not interrupted: it could still be under way when its descriptor is closed and given to another file.
  /** Writes the added bytes; their chunks are then free. The first call creates the file, open until its scope closes. */
  const flush = (path: string) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      file ??= yield* fs.open(path, { flag: "wx", mode: 0o600 })
      const bytes = waiting
      waiting = []
      for (const chunk of bytes) yield* file.writeAll(chunk)
    }).pipe(Effect.uninterruptible)

  return {
    /** Replaces the string in the message: 128 random bits, so that no client can guess it. */
    handle: `spooled:${crypto.randomBytes(16).toString("base64url")}`,
    /** Adds bytes as they are in the message, for the next `flush`. */
    add: (raw: Uint8Array) => take(escapes.push(raw)),
    /** Ends the string. */
    end: () => {
      take(escapes.end())
      if (!isAllAscii && !decodes(utf8)) fault ??= "not_utf8"
    },
    /** The fault in the bytes so far. */
    fault: () => fault,
    /** Bytes of the text so far. */
    size: () => size,
    flush
  }
}

/** Without bytes: whether the text is complete. */
const decodes = (utf8: InstanceType<typeof TextDecoder>, bytes?: Uint8Array): boolean => {
  try {
    utf8.decode(bytes, { stream: bytes !== undefined })
    return true
  } catch {
    return false
  }
}

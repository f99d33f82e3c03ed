/** Bytes of the store as a local file, for what works on files. */
import { Effect, type FileSystem, Stream } from "effect"
import type { OpenMedia } from "./Media.ts"

/**
 * Writes a file that is not there yet. A write is not interrupted: it could still be under way when its descriptor is closed
 * and given to another file.
 */
export const write = (fs: FileSystem.FileSystem, body: OpenMedia["body"], path: string) =>
  fs.open(path, { flag: "wx" }).pipe(
    Effect.flatMap((file) =>
      Stream.runForEach(body, (chunk) => Effect.uninterruptible(file.writeAll(chunk)))
    ),
    Effect.scoped
  )

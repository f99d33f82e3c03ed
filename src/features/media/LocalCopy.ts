/** Copies stored bytes to a local file. */
import { Effect, type FileSystem, Stream } from "effect"
import type { OpenMedia } from "./Media.ts"

/** Writes a new file. Writes are not interrupted, because the descriptor could belong to another file by then. */
export const write = (fs: FileSystem.FileSystem, body: OpenMedia["body"], path: string) =>
  fs.open(path, { flag: "wx" }).pipe(
    Effect.flatMap((file) =>
      Stream.runForEach(body, (chunk) => Effect.uninterruptible(file.writeAll(chunk)))
    ),
    Effect.scoped
  )

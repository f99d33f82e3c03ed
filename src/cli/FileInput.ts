/** Files that arguments name. */
import { Effect, FileSystem, type PlatformError, Stdio, Stream } from "effect"
import { UsageError } from "./Failure.ts"
import * as Stdout from "./Stdout.ts"

/** The bytes of a file, or of stdin for `-`. `argument`: what names the file, for errors. */
export const read = Effect.fnUntraced(
  function* (_argument: string, file: string) {
    if (file === "-") return yield* Stream.mkUint8Array((yield* Stdio.Stdio).stdin)
    return yield* (yield* FileSystem.FileSystem).readFile(file)
  },
  (effect, argument, file) =>
    Effect.mapError(
      effect,
      (error: PlatformError.PlatformError) =>
        new UsageError({ message: `${argument}: ${file} cannot be read: ${Stdout.causeOf(error)}` })
    )
)

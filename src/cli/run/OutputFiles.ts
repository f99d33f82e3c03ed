/** Downloads the files of an output. */
import { Console, Effect } from "effect"
import type { MediaItem } from "#clients/typescript/Wire.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as Bytes from "#src/cli/files/Bytes.ts"
import * as Downloading from "#src/cli/files/Downloading.ts"
import * as FileRef from "#src/cli/files/FileRef.ts"
import * as Target from "#src/cli/files/Target.ts"
import * as TransferProgress from "#src/cli/files/TransferProgress.ts"
import * as Output from "#src/cli/Output.ts"

/** Each file once, into the folder, under a new name there. Files that are there stay if a later one fails. */
export const download = Effect.fnUntraced(function* (
  directory: string,
  media: ReadonlyArray<Pick<MediaItem, "url">>,
  isSilent: boolean
) {
  const files: Array<{ readonly url: string; readonly path: string }> = []
  for (const url of new Set(media.map(({ url }) => url))) {
    if (!/^https?:/.test(url))
      return yield* new CommandError({ message: "A file of the output has no http address" })
    const target = yield* Target.reserve(directory, FileRef.nameIn(url))
    const { size } = yield* Downloading.download({
      url,
      target,
      sha256: null,
      progress: (total) => TransferProgress.make({ name: target, total, isSilent }),
      ...(isSilent && { onWait: () => {} })
    }).pipe(Effect.onError(() => Effect.ignore(Target.discard(target))))
    if (!isSilent) yield* Console.error(`Saved ${Output.printable(target)} (${Bytes.format(size)}).`)
    files.push({ url, path: target })
  }
  return files
})

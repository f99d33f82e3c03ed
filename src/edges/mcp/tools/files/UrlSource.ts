/** The argument `url` of `upload_file`: downloaded whole through the outbound guard before anything is stored. */
import { Duration, Effect, FileSystem, Option, Stream } from "effect"
import { sniffLength } from "#src/features/media/ImageFormat.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import { BlobStoreError } from "#streams/BlobStore.ts"
import * as Progress from "../Progress.ts"
import * as FileToolErrors from "./FileToolErrors.ts"
import { type FileSource, MaxFileBytes } from "./FileSource.ts"

/** From the look-up of the name to the last byte. */
const downloadTimeout = Duration.minutes(5)

const totalMs = Duration.toMillis(downloadTimeout)

/** Interval of progress notifications. */
const everyMs = 2_000

/** The type that servers send for files they do not know. */
const saysNothing = /^(?:application|binary)\/octet-stream\b/i

/** The last segment of the path, decoded. */
const fileNameOf = (url: string): string | null => {
  const segment = URL.parse(url)?.pathname.split("/").at(-1) ?? ""
  try {
    return decodeURIComponent(segment) || null
  } catch {
    return segment
  }
}

const failed = (cause: unknown) => new BlobStoreError({ reason: "could not keep a download", cause })

export const make = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const outbound = yield* Outbound
  const scratch = yield* ScratchDirectory
  const maxBytes = yield* MaxFileBytes
  const progress = yield* Progress.make

  /** The file may not exist yet. */
  const soFar = (path: string) =>
    fs.stat(path).pipe(
      Effect.map(({ size }) => Number(size)),
      Effect.orElseSucceed(() => 0),
      Effect.map((bytes) => `Downloading: ${bytes} bytes so far`)
    )

  return Effect.fnUntraced(
    function* (url: string) {
      const folder = yield* fs.makeTempDirectoryScoped({ directory: scratch, prefix: "upload-" })
      const path = `${folder}/file`
      const download = outbound.download({ url, maxBytes, timeout: downloadTimeout, toFile: path })
      const downloaded = yield* progress(download, { everyMs, totalMs, message: soFar(path) }).pipe(
        Effect.catchTag(["OutboundRefused", "OutboundTooLarge", "OutboundError"], (error) =>
          Effect.fail(FileToolErrors.ofUrl(error))
        )
      )
      const head = yield* Stream.mkUint8Array(fs.stream(path, { bytesToRead: sniffLength }))
      const claimed = Option.getOrNull(downloaded.contentType)
      return {
        size: downloaded.size,
        head,
        contentType: claimed === null || saysNothing.test(claimed) ? null : claimed,
        fileName: fileNameOf(url),
        body: Stream.mapError(fs.stream(path), failed)
      } satisfies FileSource
    },
    Effect.catchTag("PlatformError", (error) => Effect.fail(failed(error)))
  )
})

/** The bytes of files in inputs, for protocols that take files and not their addresses. */
import { Context, Effect, FileSystem, Layer, Stream } from "effect"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { RemoteMedia } from "#src/features/media/RemoteMedia.ts"
import * as Bytes from "#src/kernel/text/Bytes.ts"

export interface FileBytes {
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** The files cannot be read. `retryable`: another try may succeed. */
export interface NoBytes {
  readonly message: string
  readonly retryable: boolean
}

const none = (message: string, retryable: boolean) => Effect.fail<NoBytes>({ message, retryable })

const tooLarge = none("A file of the input is too large for the provider.", false)
const gone = none("A file of the input cannot be read.", false)
const away = none("A file of the input cannot be read at the moment.", true)

export class ProviderFiles extends Context.Service<
  ProviderFiles,
  {
    /** @param url of a file of this service, an https URL or a `data:` URI. */
    read(url: string, maxBytes: number): Effect.Effect<FileBytes, NoBytes>
  }
>()("inferlog/src/features/providers/ProviderFiles") {
  static readonly layer = Layer.effect(
    ProviderFiles,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const remote = yield* RemoteMedia
      const store = yield* MediaStore

      const read: ProviderFiles["Service"]["read"] = Effect.fn("ProviderFiles.read")(function* (
        url,
        maxBytes
      ) {
        const file = yield* remote.fetch(url).pipe(
          Effect.catchTag("RemoteRefused", () => gone),
          Effect.catchTag("RemoteUnavailable", () => away)
        )
        if (file._tag === "LocalFile") {
          if (file.size > maxBytes) return yield* tooLarge
          const bytes = yield* Effect.catch(fs.readFile(file.path), () => away)
          return { fileName: `file.${file.extension}`, contentType: file.contentType, bytes }
        }
        const { contentType, fileName, id, size } = file.media
        if (size > maxBytes) return yield* tooLarge
        const opened = yield* store.open(id).pipe(
          Effect.catchTag("MediaGone", () => gone),
          Effect.catch(() => away)
        )
        if (opened === null) return yield* gone
        const bytes = Bytes.make()
        yield* Stream.runForEach(opened.body, (part) => Effect.sync(() => bytes.add(part))).pipe(
          Effect.catch(() => away)
        )
        return { fileName, contentType, bytes: bytes.whole() }
      }, Effect.scoped)

      return ProviderFiles.of({ read })
    })
  ).pipe(Layer.provide([RemoteMedia.layer, NodeFileSystem.layer]))
}

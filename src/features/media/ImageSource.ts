/**
 * Fetches the picture of a model's input into a local file. Faults that the client can correct are `ImageRefused`;
 * faults that may pass (no connection, no answer in time, no name, a 5xx, 408, 425 or 429, our own disk) are
 * `ImageUnavailable`.
 */
import type { FileId } from "#domain/Ids.ts"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Duration, Effect, FileSystem, Layer, Option, type Scope, Stream } from "effect"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import type { OutboundError } from "#src/kernel/outbound/OutboundError.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as DataUri from "./DataUri.ts"
import { ImageRefused, ImageUnavailable } from "./ImageFailure.ts"
import { type ImageFormat, sniff, sniffLength } from "./ImageFormat.ts"
import { maxBytes } from "./ImageLimits.ts"
import * as LocalCopy from "./LocalCopy.ts"
import { MediaStore } from "./MediaStore.ts"

export interface LocalImage {
  readonly path: string
  /** By content. */
  readonly format: ImageFormat
}

/** From the name look-up to the last byte. */
const downloadTimeout = Duration.seconds(30)

const refuse = (reason: ImageRefused["reason"]) => Effect.fail(new ImageRefused({ reason }))

const outage = (reason: ImageUnavailable["reason"]) => Effect.fail(new ImageUnavailable({ reason }))

const isPassing = (reason: OutboundError["reason"]): boolean =>
  /^(?:timeout|connection_failed|dns_error|http_(?:408|425|429|5\d\d))$/.test(reason)

const judgeDownload = ({ reason }: OutboundError) => {
  if (reason === "http_404" || reason === "http_410") return refuse("not_found")
  return isPassing(reason) ? outage("unreachable") : refuse("download_refused")
}

export class ImageSource extends Context.Service<
  ImageSource,
  {
    /**
     * A file with the picture behind an https URL (through the outbound guard, and at most five redirects), a media URL of ours (from the store,
     * never over the network) or a `data:` URI. At most 50 MiB, of a known format, removed with the scope.
     */
    open(source: string): Effect.Effect<LocalImage, ImageRefused | ImageUnavailable, Scope.Scope>
  }
>()("inferlog/src/features/media/ImageSource") {
  static readonly layerNoDeps = Layer.effect(
    ImageSource,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const outbound = yield* Outbound
      const media = yield* MediaStore
      const scratch = yield* ScratchDirectory

      const download = (url: string, path: string) =>
        outbound.download({ url, maxBytes, timeout: downloadTimeout, toFile: path }).pipe(
          Effect.catchTags({
            OutboundRefused: () => refuse("forbidden_address"),
            OutboundTooLarge: () => refuse("too_large"),
            OutboundError: judgeDownload
          })
        )

      const copy = Effect.fnUntraced(function* (id: FileId, path: string) {
        const stored = yield* media.open(id)
        if (stored === null) return yield* refuse("not_found")
        if (stored.media.size > maxBytes) return yield* refuse("too_large")
        return yield* LocalCopy.write(fs, stored.body, path)
      })

      const fetch = Effect.fnUntraced(function* (text: string, path: string) {
        const source = text.trim()
        if (DataUri.isDataUri(source)) {
          return yield* fs.writeFile(path, yield* Effect.fromResult(DataUri.parse(source)))
        }
        const own = media.parseOwnUrl(source)
        if (Option.isSome(own)) return yield* copy(own.value, path)
        if (!/^https?:/i.test(source)) return yield* refuse("unsupported_source")
        return yield* download(source, path)
      })

      const headOf = (path: string) => Stream.mkUint8Array(fs.stream(path, { bytesToRead: sniffLength }))

      const open: ImageSource["Service"]["open"] = Effect.fn("ImageSource.open")(
        function* (source) {
          const folder = yield* fs.makeTempDirectoryScoped({ directory: scratch, prefix: "image-" })
          const path = `${folder}/source`
          yield* fetch(source, path)
          const format = sniff(yield* headOf(path))
          if (format === null) return yield* refuse("not_an_image")
          if (format === "svg") return yield* refuse("svg")
          return { path, format }
        },
        Effect.catchTags({
          MediaGone: () => refuse("not_found"),
          PlatformError: () => outage("storage"),
          BlobStoreError: () => outage("storage"),
          EventStoreError: () => outage("storage")
        })
      )

      return ImageSource.of({ open })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(NodeFileSystem.layer))
}

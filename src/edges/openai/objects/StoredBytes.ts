/** The bytes behind the URLs in outputs: files of this service, or `data:` URLs. */
import { Effect, Option, Stream } from "effect"
import * as DataUri from "#src/features/media/DataUri.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as Bytes from "#src/kernel/text/Bytes.ts"

interface Found {
  readonly contentType: string
  readonly bytes: Uint8Array
}

export const make = Effect.map(MediaStore, (media) =>
  /** `null` for any other URL, for a file that is gone, and for one of more than `maxBytes`. */
  Effect.fnUntraced(function* (url: string, maxBytes: number) {
    if (DataUri.isDataUri(url)) {
      const inline = url.length > 2 * maxBytes ? null : DataUri.decode(url)
      return inline === null || inline.bytes.length > maxBytes ? null : inline
    }
    const id = media.parseOwnUrl(url)
    if (Option.isNone(id)) return null
    const opened = yield* Effect.catchTag(media.open(id.value), "MediaGone", () => Effect.succeed(null))
    if (opened === null || opened.media.size > maxBytes) return null
    const bytes = Bytes.make()
    yield* Stream.runForEach(opened.body, (part) => Effect.sync(() => bytes.add(part)))
    return { contentType: opened.media.contentType, bytes: bytes.whole() } satisfies Found
  })
)

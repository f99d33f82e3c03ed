/** The stored files that an output names (decisions, "`media`"). */
import { FileId } from "#domain/Ids.ts"
import { Schema } from "effect"
import type { VisibleRequest } from "#domain/inference-request/VisibleRequest.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"

export const MediaItem = Schema.Struct({
  path: Schema.String.annotate({ description: "JSON pointer (RFC 6901) to the file's URL in `output`." }),
  fileId: Schema.String,
  url: Schema.String.annotate({
    description: "Public address of the file: anyone who knows it can fetch it."
  }),
  thumbnailUrl: Schema.NullOr(Schema.String).annotate({
    description: "WebP thumbnail of a picture or film; null without one."
  }),
  contentType: Schema.String,
  size: Schema.Int.annotate({ description: "Bytes." })
}).annotate({ identifier: "MediaItem" })
export type MediaItem = typeof MediaItem.Type

/** Empty before the files are stored and after they are erased. */
export const of = (
  mediaUrl: string,
  { erasure, media }: Pick<VisibleRequest, "erasure" | "media">
): ReadonlyArray<MediaItem> =>
  erasure !== null
    ? []
    : media.map(({ contentType, fileId, fileName, path, size, thumbnailId }) => ({
        path,
        fileId,
        url: MediaUrl.format(mediaUrl, FileId.make(fileId), fileName),
        thumbnailUrl:
          thumbnailId === null
            ? null
            : MediaUrl.format(mediaUrl, FileId.make(thumbnailId), MediaUrl.thumbnailName),
        contentType,
        size
      }))

/** The body that announces an upload (contract, "Uploads"). Undeclared fields are ignored. */
import { Schema } from "effect"
import type { Announced } from "#src/features/files/Uploads.ts"
import { MediaType } from "#src/features/media/MediaType.ts"
import * as FileLimits from "#src/features/media/storage/FileLimits.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"

/** Characters of a file name. */
export const longestName = 1024

/** Characters of a media type. */
export const longestType = 1024

export const body = RequestBody.open(
  Schema.Struct({
    file_name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longestName)).annotate({
      description: "Becomes the last segment of the file's URL, without characters that a name cannot have."
    }),
    content_type: MediaType.check(Schema.isMaxLength(longestType)).annotate({
      description: "A media type such as `image/png`. The PUT must have the same `Content-Type`."
    }),
    size: Schema.optionalKey(
      Schema.NullOr(
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
      ).annotate({
        description: `Bytes; null or absent when unknown. If given, another size is refused. At most ${FileLimits.maxPutBytes} for a file in one piece, ${FileLimits.maxFileBytes} for one in parts, and what the account has room for.`
      })
    )
  }).annotate({
    identifier: "UploadBody",
    description: "The file that will be uploaded. Other fields are ignored.",
    examples: [
      { file_name: "cat.png", content_type: "image/png" },
      { file_name: "cat.png", content_type: "image/png", size: 1024 }
    ]
  }),
  { content_type: { code: "format", message: "must be a media type such as image/png" } }
)

/** The announcement as the service takes it. */
export const announced = ({
  content_type: contentType,
  file_name: fileName,
  size = null
}: (typeof body.schema)["Type"]): Omit<Announced, "caller"> => ({ fileName, contentType, size })

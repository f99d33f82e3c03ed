/** Why the picture of an input is not available. Messages are fixed and contain no URL, host or address. */
import { Schema, Struct } from "effect"

const refusals = {
  unsupported_source: "The image must be an https URL, a media URL of this service or a data: URI.",
  malformed_data_uri: "The data: URI is malformed or empty: expected data:image/<type>[;base64],<data>.",
  data_uri_too_long: "The data: URI is too long: at most 10 MiB are read.",
  forbidden_address: "The image URL is refused: its address may not be called.",
  not_found: "There is no image at the URL.",
  download_refused:
    "The server of the image refused to give it, redirected too often, or has no valid certificate.",
  too_large: "The image is too large: at most 50 MiB are read.",
  svg: "SVG images are not accepted.",
  not_an_image: "The file is not an image in PNG, JPEG, WebP, GIF, AVIF or TIFF format."
} as const

/** The client's picture is at fault: a retry gives the same result. */
export class ImageRefused extends Schema.TaggedError<ImageRefused>()("ImageRefused", {
  reason: Schema.Literals(Struct.keys(refusals))
}) {
  override get message(): string {
    return refusals[this.reason]
  }
}

const outages = {
  unreachable: "The image could not be downloaded for now.",
  storage: "The image could not be read from or written to storage."
} as const

/** A later try may succeed. */
export class ImageUnavailable extends Schema.TaggedError<ImageUnavailable>()("ImageUnavailable", {
  reason: Schema.Literals(Struct.keys(outages))
}) {
  override get message(): string {
    return outages[this.reason]
  }
}

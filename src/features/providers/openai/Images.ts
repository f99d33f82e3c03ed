/**
 * An answer of `images/generations` (https://platform.openai.com/docs/api-reference/images/object) with every picture
 * in the same place: `b64_json` becomes a `data:` URI in `url`, so that a schema can name the place and the file is
 * copied.
 */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"

/** By the first bytes of the file, in base64: `\x89PNG`, `\xff\xd8\xff`, `RIFF`. */
const beginnings = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["UklGR", "image/webp"]
] as const

/** The file's own type takes precedence over the answer's `output_format`. */
const mediaType = (base64: string, format: Json | undefined): string =>
  beginnings.find(([beginning]) => base64.startsWith(beginning))?.[1] ??
  (format === "jpeg" || format === "webp" ? `image/${format}` : "image/png")

/** `null` if the answer has no pictures. */
export const normalize = (json: Json | undefined): JsonObject | null => {
  if (!isObject(json)) return null
  const { data, output_format: format } = json
  if (!isList(data)) return null
  const pictures = data.flatMap((picture) => {
    if (!isObject(picture)) return []
    const { b64_json: base64, ...rest } = picture
    if (typeof base64 === "string")
      return [{ ...rest, url: `data:${mediaType(base64, format)};base64,${base64}` }]
    return typeof rest["url"] === "string" ? [rest] : []
  })
  return pictures.length === data.length ? { ...json, data: pictures } : null
}

const isList = (json: Json | undefined): json is ReadonlyArray<Json> => Array.isArray(json)

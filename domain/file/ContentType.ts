/**
 * The media type without parameters and in lower case: `image/png` for `Image/PNG; name=x` (RFC 9110, 8.3.1). Files are
 * classified by it.
 */
export const essenceOf = (contentType: string): string =>
  (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()

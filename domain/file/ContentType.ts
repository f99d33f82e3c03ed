/** The type without its parameters, in lower case, `image/png` of `Image/PNG; name=x` (RFC 9110, 8.3.1): what files are told apart by. */
export const essenceOf = (contentType: string): string =>
  (contentType.split(";", 1)[0] ?? "").trim().toLowerCase()

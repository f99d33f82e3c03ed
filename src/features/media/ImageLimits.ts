/** Limits of pictures (decisions, "Errors and limits"). */

/** Bytes of an encoded picture. */
export const maxBytes = 50 * 1024 * 1024

/** Characters of a `data:` URI. */
export const maxDataUriLength = 10 * 1024 * 1024

/** For input and output pictures. */
export const maxPixels = 50_000_000

/** Width and height of an output picture. */
export const maxSide = 16_384

/** What a picture may be (decisions, "Errors and limits"). */

/** Bytes of an encoded picture. */
export const maxBytes = 50 * 1024 * 1024

/** Characters of a `data:` URI. */
export const maxDataUriLength = 10 * 1024 * 1024

/** Of a picture that comes in, and of one that goes out. */
export const maxPixels = 50_000_000

/** Width and height of a picture that goes out. */
export const maxSide = 16_384

/** Where the bytes of a file lie in the blob store. An id has no dot, so that no key is another file's. */
import type { FileId } from "#domain/Ids.ts"

/** All bytes of a file that came in one piece, or that the store has put together. */
export const whole = (id: FileId): string => `media/${id}`

/** What came in parts, and stays in them. */
export const partsFolder = (id: FileId): string => `media/${id}.parts`

/** Keys of files in the blob store. Ids contain no dot, so keys of different files differ. */
import type { FileId } from "#domain/Ids.ts"

/** A file that arrived in one piece, or that the store has combined. */
export const whole = (id: FileId): string => `media/${id}`

/** A file that stays in its parts. */
export const partsFolder = (id: FileId): string => `media/${id}.parts`

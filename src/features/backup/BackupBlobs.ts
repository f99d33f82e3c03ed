/** The blobs in a backup, under their keys of the blob store. */
import type { BlobStore } from "#streams/BlobStore.ts"

export const objectOf = (key: string): string => `blobs/${key}`

/** A store that has the texts of payloads from the backup, for verifying. */
export const reading = (pieces: BlobStore["Service"]): BlobStore["Service"] => ({
  ...pieces,
  get: (key, range) => pieces.get(objectOf(key), range),
  size: (key) => pieces.size(objectOf(key))
})

/** What is asked for of the files of an account. */
import type { AccountId, RequestId } from "#domain/Ids.ts"
import type { FileSource } from "./FileItem.ts"

/** Where a page ended: the next one begins behind it, whatever has been added since. */
export interface PageKey {
  /** Unix time in ms. */
  readonly createdAt: number
  readonly fileId: string
}

export interface Filter {
  readonly accountId: AccountId
  readonly source?: FileSource | undefined
  /** A type in lower case without parameters, or all of a kind: `image/*`. */
  readonly contentType?: string | undefined
  readonly requestId?: RequestId | undefined
}

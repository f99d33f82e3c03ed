/** Filters, orders and page keys of lists of files. */
import type { AccountId, RequestId } from "#domain/Ids.ts"
import type { FileSource } from "./FileItem.ts"

/** Where a page ended. The next page starts after it, whatever was added since. */
export interface PageKey {
  /** Unix time in ms. */
  readonly createdAt: number
  readonly fileId: string
}

export interface Filter {
  readonly accountId: AccountId
  readonly source?: FileSource | undefined
  /** A type in lower case without parameters, or a group of types: `image/*`. */
  readonly contentType?: string | undefined
  readonly requestId?: RequestId | undefined
  readonly purpose?: string | undefined
  /** By the time of creation; newest first if absent. */
  readonly order?: "asc" | "desc" | undefined
}

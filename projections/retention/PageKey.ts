/** Places in the list of an account's requests by status. */
import { Schema } from "effect"
import { Status } from "#domain/inference-request/Status.ts"

/**
 * The position of a request in its account, by status and then from the oldest on; or a position before all requests of a
 * status.
 */
export const PageKey = Schema.Struct({ status: Status, createdAt: Schema.Int, requestId: Schema.String })
export type PageKey = typeof PageKey.Type

/** The key before all requests of the status. */
export const startOf = (status: Status): PageKey => ({ status, createdAt: 0, requestId: "" })

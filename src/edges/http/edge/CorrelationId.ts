/**
 * The id of one call, for support: `request_id` of an error envelope, `x-request-id` of every answer, and in the logs. Its
 * prefix tells it from the id of a request, which a client might poll.
 */
import type { IdGenerator } from "#streams/IdGenerator.ts"

export const next = (ids: Pick<IdGenerator["Service"], "next">): string => `call_${ids.next()}`

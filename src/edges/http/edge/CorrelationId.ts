/**
 * The id of one HTTP call, for support: `request_id` of an error, `x-request-id` of every answer, and in the logs. Its
 * prefix distinguishes it from the id of an inference request, which a client might poll.
 */
import type { IdGenerator } from "#streams/IdGenerator.ts"

export const next = (ids: Pick<IdGenerator["Service"], "next">): string => `call_${ids.next()}`

/** The id of one HTTP call, for support: in errors, logs and `x-request-id`. Its prefix differs from request ids. */
import type { IdGenerator } from "#streams/IdGenerator.ts"

export const next = (ids: Pick<IdGenerator["Service"], "next">): string => `call_${ids.next()}`

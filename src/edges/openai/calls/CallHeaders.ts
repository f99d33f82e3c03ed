/** Headers of every answer that a request made: its id, for support and for the routes of requests. */
import type { Snapshot } from "#src/features/requests/Requests.ts"
import type * as Answer from "#src/edges/http/Answer.ts"

const name = "x-inferlog-request-id"

export const of = ({ id }: Pick<Snapshot, "id">): Answer.Headers => ({ [name]: id })

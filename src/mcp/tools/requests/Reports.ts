/** Reports of requests, with as much of their payloads as there still is. */
import { Effect } from "effect"
import { RequestId, requestIdPattern } from "#domain/Ids.ts"
import type { Caller } from "#src/accounts/Caller.ts"
import { PublicUrls } from "#src/PublicUrls.ts"
import { Requests, type Snapshot } from "#src/requests/Requests.ts"
import { retentionMs } from "#src/retention/RetentionTime.ts"
import * as ServiceRefusals from "../ServiceRefusals.ts"
import * as RequestReport from "./RequestReport.ts"

const malformed = ServiceRefusals.refusal(
  "requestId: must be 21 characters of A-Z, a-z, 0-9, _ and -, as run_model gave it. list_my_requests shows the ids of all requests."
)

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const urls = yield* PublicUrls
  const keptMs = yield* retentionMs

  const find = Effect.fnUntraced(function* (caller: Caller, requestId: string) {
    if (!requestIdPattern.test(requestId)) return yield* malformed
    return yield* requests
      .get({ caller, id: RequestId.make(requestId) })
      .pipe(Effect.mapError(ServiceRefusals.toRefusal))
  })

  /** A payload that is not what its event says of it is corrupt storage, and nobody's mistake but ours. */
  const payloadsOf = (snapshot: Snapshot) =>
    requests
      .payloads(snapshot)
      .pipe(Effect.catchTag("PayloadUnavailable", Effect.die), Effect.mapError(ServiceRefusals.toRefusal))

  const report = Effect.fnUntraced(function* (snapshot: Snapshot, asked: RequestReport.Asked) {
    return RequestReport.of({ ...urls, keptMs }, snapshot, yield* payloadsOf(snapshot), asked)
  })

  return { find, report }
})

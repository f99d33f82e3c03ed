/** Reports of requests, with their payloads as far as they still exist. */
import { Effect } from "effect"
import { RequestId, requestIdPattern } from "#domain/Ids.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { Requests, type Snapshot, type WantedPayloads } from "#src/features/requests/Requests.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import * as ServiceToolErrors from "../ServiceToolErrors.ts"
import * as BoundedJson from "./BoundedJson.ts"
import * as RequestReport from "./RequestReport.ts"

const malformed = ServiceToolErrors.toolError(
  "requestId: must be 21 characters of A-Z, a-z, 0-9, _ and -, as run_model gave it. list_my_requests shows the ids of all requests."
)

const damaged = ServiceToolErrors.toolError(
  "The stored data of this request is lost or damaged, so its input and output cannot be shown. Calling again does not help: tell the operator of the service."
)

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const urls = yield* PublicUrls
  const keptMs = yield* retentionMs

  const find = Effect.fnUntraced(function* (caller: Caller, requestId: string) {
    if (!requestIdPattern.test(requestId)) return yield* malformed
    return yield* requests
      .get({ caller, id: RequestId.make(requestId) })
      .pipe(Effect.mapError(ServiceToolErrors.toErrorAnswer))
  })

  const read = Effect.fnUntraced(function* (
    snapshot: Snapshot,
    wanted: WantedPayloads,
    options: RequestReport.ReportOptions
  ) {
    const { input, output } = yield* requests.payloadTexts(snapshot, wanted)
    const most = options.maxOutputBytes ?? RequestReport.usualOutputBytes
    return { input: yield* BoundedJson.of(input, most), output: yield* BoundedJson.of(output, most) }
  })

  /** An input is read only when requested, because it may be large. */
  const report = Effect.fnUntraced(function* (snapshot: Snapshot, options: RequestReport.ReportOptions) {
    const wanted = { input: options.includeInput === true }
    const payloads = yield* Effect.mapError(read(snapshot, wanted, options), (error) =>
      error._tag === "PayloadUnavailable" ? damaged : ServiceToolErrors.toErrorAnswer(error)
    )
    return RequestReport.of({ ...urls, keptMs }, snapshot, payloads, options)
  })

  return { find, report }
})

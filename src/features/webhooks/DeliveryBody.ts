/** The body of a webhook: the answer of `response_url` with `event` and `billingStatus` (contract and decisions). */
import type { Json } from "#domain/CanonicalJson.ts"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import { billingStatus } from "#domain/inference-request/Status.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"
import type { Urls } from "#src/kernel/settings/PublicUrls.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"

/** `start` for a request that has not ended, `completed` for one that has. */
export const make = <Payload extends Json>(
  urls: Pick<Urls, "mediaUrl">,
  event: WebhookEventName,
  snapshot: Snapshot,
  payloads: ResultView.RequestPayloads<Payload | null>
) => {
  const result =
    ResultView.withoutOutput(urls, snapshot, payloads) ?? ResultView.result(urls, snapshot, payloads)
  const billing = billingStatus(snapshot.request)
  return { ...result, event, ...(billing === null ? {} : { billingStatus: billing }) }
}

/** Its canonical text. Payload texts are copied and never parsed. */
export const text = (...body: Parameters<typeof make<string>>): string => {
  const { input, output, ...rest } = make<string>(...body)
  return CanonicalJson.stringifyWith(rest, { input: input ?? "null", output: output ?? "null" })
}

/** Parses the body of a submit, on this thread or in the lane for large bodies. */
import { Effect, Result } from "effect"
import * as JsonText from "#domain/JsonText.ts"
import type { AccountId } from "#domain/Ids.ts"
import type { Webhook } from "#domain/inference-request/Event.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import type { Submission } from "#src/features/requests/Requests.ts"
import type * as JsonScan from "#src/kernel/text/JsonScan.ts"
import type * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import type * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as BodyLane from "./lane/BodyLane.ts"
import * as WebhookFields from "./WebhookFields.ts"

export interface Read extends Pick<Submission, "input" | "checked"> {
  readonly webhook: Parsed.Parsed<Webhook | null>
  /** Equal for bodies of equal content. Only of a body that came with an `Idempotency-Key`. */
  readonly content: () => string
}

export interface Received {
  readonly account: AccountId
  readonly endpoint: string
  readonly body: Uint8Array
  readonly scan: JsonScan.Scan
  /** Whether the body came with an `Idempotency-Key`. */
  readonly hasKey: boolean
}

const readHere = (body: Uint8Array, scan: JsonScan.Scan): Result.Result<Read, ErrorAnswer.ErrorAnswer> =>
  Result.map(JsonBody.parseLooked(body, scan), (fields) => ({
    webhook: WebhookFields.parse(fields),
    input: WebhookFields.withoutWebhook(fields),
    content: () => JsonText.content(fields)
  }))

const readInLane = (
  { content, issues, small, text, webhook }: BodyLane.ReadBody,
  entry: CatalogEntry | null
): Read => ({
  webhook: webhook !== null && "issues" in webhook ? Result.fail(webhook.issues) : Result.succeed(webhook),
  input: small,
  content: () => content ?? "",
  checked: {
    modelVersion: entry?.model.version ?? null,
    issues,
    text: Buffer.from(text.buffer, text.byteOffset, text.length).toString()
  }
})

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const lane = yield* BodyLane.make

  /** Parses a body that was scanned. */
  return ({ account, body, endpoint, hasKey, scan }: Received) => {
    if (!BodyLane.isLarge(body.length, scan.weight)) return Effect.fromResult(readHere(body, scan))
    return Effect.flatMap(catalog.find(endpoint), (entry) =>
      BodyLane.takes(entry)
        ? Effect.map(lane.read({ account, body, entry, hasKey }), (read) => readInLane(read, entry))
        : Effect.fromResult(readHere(body, scan))
    )
  }
})

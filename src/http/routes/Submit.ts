/**
 * `POST /{owner}/{model}`. Checks in this order, the first failure answers: key (401), rates (429) and scope (403), all
 * before this; models of the key (403), content type and announced length (415, 413), model (404), body (413, 408, 400), reserved fields and headers together (400), then
 * those of the service: webhook target (400), input (400), idempotency (409), queue (429), balance (402), and how many
 * requests of the account have not ended (429). What depends on more than the request itself is not checked again for one
 * that was accepted under its key: the model of such a call comes after its body.
 */
import { Effect, Result } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import type { Caller } from "#src/accounts/Caller.ts"
import { Catalog } from "#src/models/Catalog.ts"
import { Outbound } from "#src/outbound/Outbound.ts"
import { PublicUrls } from "#src/PublicUrls.ts"
import { ModelNotGranted, Requests, type Snapshot, type Submission } from "#src/requests/Requests.ts"
import { retentionMs } from "#src/retention/RetentionTime.ts"
import { MasterKey } from "#src/secrets/MasterKey.ts"
import * as Answer from "../Answer.ts"
import * as Refusal from "../Refusal.ts"
import * as BodyHeaders from "../requests/BodyHeaders.ts"
import * as DeadlineHeaders from "../requests/DeadlineHeaders.ts"
import { endpointOf, type EndpointParams } from "../requests/EndpointParams.ts"
import * as IdempotencyHeader from "../requests/IdempotencyHeader.ts"
import * as JsonBody from "../requests/JsonBody.ts"
import * as MetadataHeader from "../requests/MetadataHeader.ts"
import * as Parsed from "../requests/Parsed.ts"
import * as PreferHeader from "../requests/PreferHeader.ts"
import type { RequestHeaders } from "../requests/RequestHeaders.ts"
import * as WaitQuery from "../requests/WaitQuery.ts"
import * as WebhookFields from "../requests/WebhookFields.ts"
import * as WebhookTarget from "../requests/WebhookTarget.ts"
import { Stopping } from "../Stopping.ts"
import * as ResultView from "../views/ResultView.ts"
import * as StatusView from "../views/StatusView.ts"
import * as Payloads from "./Payloads.ts"

export interface SubmitCall {
  readonly caller: Caller
  readonly params: EndpointParams
  readonly headers: RequestHeaders
  /** Query parameter: the same wish as `Prefer: wait`, which counts when both are sent. */
  readonly wait: string | undefined
  /** Not run before the headers and the model are found good. At most `JsonBody.maxBytes`. */
  readonly readBody: Effect.Effect<Uint8Array, Refusal.Refusal>
}

/** The whole call: nothing of it is invalid then but, possibly, the model, its input and the webhook. */
const parse = ({ headers, wait }: SubmitCall, endpoint: string, body: Uint8Array, secret: Buffer) => {
  const json = JsonBody.parseObject(body)
  if (Result.isFailure(json)) return Result.fail(json.failure)
  const fields = json.success
  const parts = {
    webhook: WebhookFields.parse(fields),
    metadata: MetadataHeader.parse(headers["x-request-metadata"]),
    idempotencyKey: IdempotencyHeader.parse(headers["idempotency-key"]),
    deadlines: DeadlineHeaders.parse(headers),
    preferredMs: PreferHeader.parse(headers["prefer"]),
    queriedMs: WaitQuery.parse(wait)
  }
  const parsed = Result.all(parts)
  if (Result.isFailure(parsed)) return Result.fail(Refusal.invalid(Parsed.issues(parts)))
  const key = parsed.success.idempotencyKey
  return Result.succeed({
    ...parsed.success,
    input: WebhookFields.withoutWebhook(fields),
    idempotency: key === null ? null : idempotencyOf(key, { endpoint, headers, body }, secret)
  })
}

const idempotencyOf = (
  key: string,
  meant: IdempotencyHeader.Meant,
  secret: Buffer
): Submission["idempotency"] => ({
  key,
  requestHash: IdempotencyHeader.requestHash(secret, meant),
  isFormerHash: (hash) => IdempotencyHeader.isFormerHash(hash, meant)
})

const isEnded = (snapshot: Snapshot): boolean => isTerminal(snapshot.request.phase)

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const requests = yield* Requests
  const outbound = yield* Outbound
  const urls = yield* PublicUrls
  const keptMs = yield* retentionMs
  const stopping = yield* Stopping
  const secret = (yield* MasterKey).keyFor(IdempotencyHeader.purpose)

  const readBody = (call: SubmitCall, endpoint: string): Effect.Effect<Uint8Array, Refusal.Refusal> => {
    if (call.headers["idempotency-key"] !== undefined) return call.readBody
    return Effect.flatMap(catalog.find(endpoint), (entry) =>
      entry === null ? Effect.fail(Refusal.unknownModel) : call.readBody
    )
  }

  return Effect.fnUntraced(function* (call: SubmitCall) {
    const endpoint = endpointOf(call.params)
    // The service says so, too: here it is said before the body is read.
    if (!Grant.allowsModel(call.caller.grant, endpoint)) return yield* new ModelNotGranted()
    const announced = BodyHeaders.check(call.headers)
    if (Result.isFailure(announced)) return yield* announced.failure
    const read = parse(call, endpoint, yield* readBody(call, endpoint), secret)
    if (Result.isFailure(read)) return yield* read.failure
    const { deadlines, idempotency, input, metadata, preferredMs, queriedMs, webhook } = read.success
    const accepted = yield* requests.submit(
      { caller: call.caller, endpoint, input, metadata, webhook, deadlines, idempotency },
      webhook === null ? Effect.void : WebhookTarget.check(outbound, webhook.url)
    )
    const headers = accepted.replayed ? { "idempotency-replayed": "true" } : {}
    const created = Answer.json(200, StatusView.created(urls.queueUrl, accepted), headers)
    const waitMs = preferredMs ?? queriedMs
    if (waitMs === 0) return created
    // What is accepted is accepted, also when the server stops: a client that is not told the id would submit it again.
    const latest = yield* Effect.raceFirst(
      requests.waitUntil(accepted, isEnded, waitMs),
      Effect.as(stopping, accepted)
    )
    if (!isEnded(latest)) return created
    const payloads = yield* Payloads.read(requests, latest)
    const body = ResultView.retrieved({ ...urls, keptMs }, latest, payloads)
    const applied = preferredMs === null ? {} : { "preference-applied": "wait" }
    return Answer.record(200, body, { ...headers, ...applied })
  })
})

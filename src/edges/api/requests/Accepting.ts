/**
 * Accepts a request over HTTP, in whatever form its body comes: reads headers and body within the account's share of memory, and
 * submits. `docs/reference/errors.md` lists the checks in their order; the first failure answers. Checks that depend on more than
 * the request itself are not repeated for a request that was accepted under its key.
 */
import { Effect, Result } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import type { Webhook } from "#domain/inference-request/Event.ts"
import { isTerminal, type Request } from "#domain/inference-request/State.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as Later from "#src/kernel/async/Later.ts"
import type * as JsonScan from "#src/kernel/text/JsonScan.ts"
import { InputMemory } from "#src/kernel/memory/InputMemory.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { ModelNotGranted, Requests, type Snapshot, type Submission } from "#src/features/requests/Requests.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { BodyMemory } from "#src/edges/http/edge/BodyMemory.ts"
import type * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as BodyHeaders from "#src/edges/http/requests/BodyHeaders.ts"
import * as DeadlineHeaders from "./DeadlineHeaders.ts"
import * as IdempotencyHeader from "./IdempotencyHeader.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import * as MetadataHeader from "./MetadataHeader.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as Wait from "./Wait.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"
import * as SubmitBody from "./SubmitBody.ts"
import * as WebhookTarget from "./WebhookTarget.ts"
import { Stopping } from "#src/edges/http/Stopping.ts"

/** What a body says: the input with the reserved webhook fields, as JSON, and the model `{owner}/{name}`. */
export interface Said {
  readonly endpoint: string
  readonly body: Uint8Array
}

export interface Call {
  readonly caller: Caller
  /** The model, if the body is not needed to know it. */
  readonly endpoint: string | null
  readonly headers: RequestHeaders
  /** The query parameter `wait`. `Prefer: wait` wins when both are sent. */
  readonly wait: string | undefined
  /** Runs after headers and model were checked. At most `JsonBody.maxBytes`. */
  readonly readBody: (grow: BodyReader.Grow) => Effect.Effect<Said, ErrorAnswer.ErrorAnswer>
}

/** A request that is durable, and how long its client wants to wait for the end, ms. */
export interface Submitted {
  readonly accepted: Snapshot<Request> & { readonly replayed: boolean }
  /** By a header; `null` without one. */
  readonly preferredMs: number | null
  /** By the query. */
  readonly queriedMs: number
}

interface Receiving<out A, out E> {
  readonly call: Call
  readonly memory: BodyMemory
  readonly answer: (submitted: Submitted) => Effect.Effect<A, E>
}

/** From this many bytes on, everything that needs no body is checked before the body is read. */
const large = 64 * 1024

/** Everything of the call except the model, its input and the webhook's target. */
const parse = ({ headers, wait }: Call, { webhook }: SubmitBody.Read) => {
  const parts = {
    webhook,
    metadata: MetadataHeader.parse(headers["x-request-metadata"]),
    idempotencyKey: IdempotencyHeader.parse(headers["idempotency-key"]),
    deadlines: DeadlineHeaders.parse(headers),
    preferredMs: Wait.preferred(headers["prefer"]),
    queriedMs: Wait.queried(wait, 1)
  }
  return ErrorAnswer.orInvalid(Parsed.all(parts))
}

const idempotencyOf = (
  key: string,
  meant: IdempotencyHeader.Meant,
  sent: IdempotencyHeader.Sent,
  secret: Buffer
): Submission["idempotency"] => ({
  key,
  requestHash: IdempotencyHeader.requestHash(secret, meant),
  isFormerHash: (hash) => IdempotencyHeader.isFormerHash(secret, hash, sent)
})

export const isEnded = (snapshot: Snapshot): boolean => isTerminal(snapshot.request.phase)

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const requests = yield* Requests
  const outbound = yield* Outbound
  const stopping = yield* Stopping
  const { submits } = yield* InputMemory
  const readBody = yield* SubmitBody.make
  const secret = (yield* MasterKey).keyFor(IdempotencyHeader.purpose)

  /** Refuses a large body before it is read, for callers who cannot submit anything. */
  const invite = (
    call: Call,
    endpoint: string
  ): Effect.Effect<void, ErrorAnswer.ErrorAnswer | Effect.Error<ReturnType<typeof requests.invite>>> => {
    const key = call.headers["idempotency-key"] ?? null
    const announced = Number(call.headers["content-length"] ?? 0)
    if (announced > large) return requests.invite({ caller: call.caller, endpoint, key })
    if (key !== null) return Effect.void
    return Effect.flatMapEager(catalog.find(endpoint), (entry) =>
      entry === null ? Effect.fail(ErrorAnswer.unknownModel) : Effect.void
    )
  }

  const checksOf = ({ url }: Webhook) => ({
    first: WebhookTarget.look(outbound, url),
    last: WebhookTarget.check(outbound, url)
  })

  const submit = <A, E>(
    { answer, call, memory }: Receiving<A, E>,
    { body, endpoint }: Said,
    scan: JsonScan.Scan
  ) =>
    Effect.flatMapEager(
      readBody({
        account: call.caller.accountId,
        endpoint,
        body,
        scan,
        hasKey: call.headers["idempotency-key"] !== undefined
      }),
      (read) =>
        Effect.flatMapEager(
          parse(call, read),
          ({ deadlines, idempotencyKey, metadata, preferredMs, queriedMs, webhook }) => {
            const path = endpoint
            const { caller, headers } = call
            const submission = {
              caller,
              endpoint,
              input: read.input,
              ...(read.checked !== undefined && { checked: read.checked }),
              inputMemory: scan.weight,
              metadata,
              webhook,
              deadlines,
              idempotency:
                idempotencyKey === null
                  ? null
                  : idempotencyOf(
                      idempotencyKey,
                      { path, metadata, deadlines, content: read.content() },
                      { path, headers, body },
                      secret
                    )
            }
            const submitted = requests.submit(submission, webhook === null ? null : checksOf(webhook))
            return Later.flatMap(submitted, (accepted) => {
              // Before the answer, because a client may wait for long.
              memory.release()
              return answer({ accepted, preferredMs, queriedMs })
            })
          }
        )
    )

  /** Reads the body and submits it. */
  const receive = <A, E>(receiving: Receiving<A, E>) => {
    const { call, memory } = receiving
    return Effect.flatMapEager(memory.cover(Number(call.headers["content-length"] ?? 0), 0), () =>
      Effect.flatMapEager(
        call.readBody((bytes) => memory.grow(bytes)),
        (said) =>
          Effect.flatMapEager(Effect.fromResult(JsonBody.look(said.body)), (scan) =>
            Effect.flatMapEager(memory.cover(said.body.length, scan.weight), () =>
              submit(receiving, said, scan)
            )
          )
      )
    )
  }

  type Refused =
    | ModelNotGranted
    | Effect.Error<ReturnType<typeof receive<never, never>> | ReturnType<typeof invite>>

  /** Answers when the request is durable. */
  const accept = <A, E>(call: Call, answer: Receiving<A, E>["answer"]): Effect.Effect<A, E | Refused> => {
    const { caller, endpoint, headers } = call
    // The service checks this, too; here it is checked before the body is read.
    if (endpoint !== null && !Grant.allowsModel(caller.grant, endpoint))
      return Effect.fail(new ModelNotGranted())
    const announced = BodyHeaders.check(headers)
    if (Result.isFailure(announced)) return Effect.fail(announced.failure)
    return Effect.flatMapEager(endpoint === null ? Effect.void : invite(call, endpoint), () => {
      const memory = new BodyMemory(submits, caller.accountId)
      const received = receive({ call, memory, answer })
      // Nothing is counted later than the submit begins.
      return Later.isLater(received) && memory.isFree()
        ? received
        : Later.onExit(received, () => memory.release())
    })
  }

  /**
   * The request when it has ended, or after `waitMs`. Returns also when the server stops: without the id the client would submit
   * again.
   */
  const untilEnded = (accepted: Snapshot, waitMs: number) =>
    Effect.raceFirst(requests.waitUntil(accepted, isEnded, waitMs), Effect.as(stopping, accepted))

  return { accept, untilEnded }
})

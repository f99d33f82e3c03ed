/**
 * Calls of OpenAI's API as requests on the log. A client of that API has no id to come back with, so a call whose client
 * leaves is cancelled, unless it has an `Idempotency-Key`, with which a repeated call finds the same request.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as DeadlineHeaders from "#src/edges/api/requests/DeadlineHeaders.ts"
import * as IdempotencyHeader from "#src/edges/api/requests/IdempotencyHeader.ts"
import * as MetadataHeader from "#src/edges/api/requests/MetadataHeader.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { UnderWay } from "#src/edges/http/edge/Exchanges.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import type { ServiceError } from "#src/edges/http/ServiceErrors.ts"
import { Stopping } from "#src/edges/http/Stopping.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"
import * as CallHeaders from "./CallHeaders.ts"
import * as Endings from "./Endings.ts"

export interface Asked {
  readonly request: HttpServerRequest
  readonly caller: Caller
  /** `/v1/…`, part of the identity of a repeated call. */
  readonly path: string
  readonly endpoint: string
  readonly input: JsonObject
  /** The body as sent. */
  readonly bytes: Uint8Array
  /** Equal for calls of equal content. */
  readonly content: () => string
  readonly weight?: number
}

export interface Begun {
  readonly snapshot: Snapshot
  readonly caller: Caller
  /** Whether a client that leaves may come back. */
  readonly isKept: boolean
}

/** How long one wait lasts before the request is read again, ms. */
const lookMs = 60_000

/** How long the head of a stream waits for the start of the run, so that a refusal still has a status, ms. */
const headMs = 5_000

const isEnded = ({ request }: Snapshot): boolean => isTerminal(request.phase)

/** Of a started request, whose stream has something to say. */
const isStarted = (snapshot: Snapshot): boolean => isEnded(snapshot) || snapshot.request.startedAt !== null

/** `metadata` of the body, as far as it is what a request may carry; other values concern the model alone. */
const metadataOf = ({ metadata }: JsonObject): MetadataHeader.Metadata => {
  if (!isObject(metadata)) return {}
  const parsed = MetadataHeader.parseBytes("metadata", Buffer.from(JSON.stringify(metadata)))
  return parsed._tag === "Success" ? parsed.success : {}
}

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const stopping = yield* Stopping
  const secret = (yield* MasterKey).keyFor(IdempotencyHeader.purpose)

  const submit = Effect.fnUntraced(function* (asked: Asked) {
    const { bytes, caller, content, endpoint, input, path, request, weight } = asked
    const { deadlines, key } = yield* ErrorAnswer.orInvalid(
      Parsed.all({
        deadlines: DeadlineHeaders.parse(request.headers),
        key: IdempotencyHeader.parse(request.headers["idempotency-key"])
      })
    )
    const metadata = metadataOf(input)
    const snapshot = yield* requests.submit({
      caller,
      endpoint,
      input,
      ...(weight !== undefined && { inputMemory: weight }),
      metadata,
      webhook: null,
      deadlines,
      idempotency:
        key === null
          ? null
          : {
              key,
              requestHash: IdempotencyHeader.requestHash(secret, {
                path,
                metadata,
                deadlines,
                content: content()
              }),
              isFormerHash: (hash) =>
                IdempotencyHeader.isFormerHash(secret, hash, { path, headers: request.headers, body: bytes })
            }
    })
    return { snapshot, caller, isKept: key !== null } satisfies Begun
  })

  /** Nothing more can be done for a client that has left. */
  const cancel = ({ caller, isKept, snapshot: { id, request } }: Begun): Effect.Effect<void> =>
    isKept ? Effect.void : Effect.ignore(requests.cancel({ caller, id, endpoint: request.submitted.model }))

  /** Submits, and runs `use` with the request, whose id every answer has then. An interruption of `use` cancels the request. */
  const begin = <A>(
    asked: Asked,
    use: (begun: Begun) => Effect.Effect<A, ServiceError>
  ): Effect.Effect<A, ServiceError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(UnderWay, ({ carries }) =>
        Effect.flatMap(submit(asked), (begun) => {
          carries(CallHeaders.of(begun.snapshot))
          return Effect.onInterrupt(restore(use(begun)), () => cancel(begun))
        })
      )
    )

  const waitFor = Effect.fnUntraced(function* (
    begun: Begun,
    isIt: (snapshot: Snapshot) => boolean,
    mostMs: number
  ) {
    const stopped = Effect.andThen(
      stopping,
      Effect.andThen(cancel(begun), Effect.fail(OpenaiErrors.stopping))
    )
    return yield* Effect.raceFirst(requests.waitUntil(begun.snapshot, isIt, mostMs), stopped)
  })

  /** The ended request. */
  const ended = Effect.fnUntraced(function* (begun: Begun): Effect.fn.Return<Snapshot, ServiceError> {
    let { snapshot } = begun
    while (!isEnded(snapshot)) snapshot = yield* waitFor({ ...begun, snapshot }, isEnded, lookMs)
    return snapshot
  })

  /** The output of an ended request, or the error that it ended with. */
  const outputOf = Effect.fnUntraced(function* (snapshot: Snapshot): Effect.fn.Return<Json, ServiceError> {
    const error = Endings.errorOf(snapshot)
    if (error !== null) return yield* error
    const read = Effect.catchTag(requests.payloads(snapshot, { input: false }), "PayloadUnavailable", () =>
      Effect.fail(ErrorAnswer.payloadDamaged)
    )
    return (yield* read).output
  })

  /** Waits for a start, but not for long. Fails if the request has ended in an error. */
  const started = Effect.fnUntraced(function* (begun: Begun): Effect.fn.Return<Begun, ServiceError> {
    const snapshot = yield* waitFor(begun, isStarted, headMs)
    const error = isEnded(snapshot) ? Endings.errorOf(snapshot) : null
    return error === null ? { ...begun, snapshot } : yield* error
  })

  return { begin, cancel, ended, outputOf, started }
})

export type Calls = Effect.Success<typeof make>

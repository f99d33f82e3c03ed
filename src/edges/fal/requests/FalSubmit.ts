/** Submits what fal's client sends, as `POST /{owner}/{model}` does. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import { RequestHandlers } from "#src/edges/api/requests/RequestHandlers.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import { IsStopping } from "#src/edges/http/Stopping.ts"
import * as FalOptions from "../FalOptions.ts"
import * as FalEnds from "./FalEnds.ts"
import * as FalStatus from "./FalStatus.ts"
import { FalWaits } from "./FalWaits.ts"
import * as JsonMembers from "#src/kernel/text/JsonMembers.ts"

export interface Submitting {
  readonly caller: Caller
  readonly endpoint: string
  readonly request: HttpServerRequest
  readonly webhook: string | null
}

const noInput = Buffer.from("{}")

/** Bytes of a name that may be the one below, with escapes. */
const longestName = 64

/** The body with a member for the webhook in the place of its own. A body that is no object is refused later. */
const withWebhook = (body: Uint8Array, webhook: string): Uint8Array => {
  const members: Array<Uint8Array> = [Buffer.from(`"webhook":${JSON.stringify(webhook)}`)]
  const isObject = JsonMembers.visit(body, (name, _start, end) => {
    if (JsonMembers.nameOf(name, longestName) !== "webhook")
      members.push(comma, body.subarray(name.byteOffset - body.byteOffset, end))
  })
  return isObject ? Buffer.concat([Buffer.from("{"), ...members, Buffer.from("}")]) : body
}

const comma = Buffer.from(",")

const unfinished: FalEnds.Failure = {
  status: 504,
  message:
    "The request has not ended yet and goes on: read its result with fal.queue.result and the requestId of this error.",
  type: "still_running"
}

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const isStopping = yield* IsStopping
  const { runMs } = yield* FalWaits
  const { queueUrl } = yield* PublicUrls
  const { accept, untilEnded } = yield* RequestHandlers

  /** Only reading the body can be interrupted: who goes away later leaves a request whose id is known here. */
  const acceptWhole = (
    { caller, endpoint, request, webhook }: Submitting,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ) =>
    Effect.flatMap(FalOptions.translate(request.headers), (headers) =>
      accept(
        {
          caller,
          endpoint,
          headers,
          wait: undefined,
          readBody: (grow) =>
            Effect.map(restore(BodyReader.read(request, JsonBody.maxBytes, grow)), (read) => {
              const body = read.length === 0 ? noInput : read
              return { endpoint, body: webhook === null ? body : withWebhook(body, webhook) }
            })
        },
        Effect.succeed
      )
    )

  const submit = (submitting: Submitting) =>
    Effect.map(
      Effect.uninterruptibleMask((restore) => acceptWhole(submitting, restore)),
      ({ accepted }) =>
        Answer.json(200, FalStatus.of(queueUrl, accepted, []), { [FalEnds.requestIdHeader]: accepted.id })
    )

  /** The client learns no id before the answer, so a request that it leaves would run for no one. */
  const cancelLeft = ({ caller, endpoint }: Submitting, { id }: Snapshot) =>
    isStopping()
      ? Effect.void
      : Effect.catch(requests.cancel({ caller, id, endpoint }), (error) =>
          Effect.logWarning("The request of a client that has left could not be cancelled", error)
        )

  /** Accepts the request and hands it on. It is cancelled when the client leaves while `use` runs. */
  const whileConnected = <A, E, R>(
    submitting: Submitting,
    use: (accepted: Snapshot) => Effect.Effect<A, E, R>
  ) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(acceptWhole(submitting, restore), ({ accepted }) =>
        Effect.onInterrupt(restore(use(accepted)), () => cancelLeft(submitting, accepted))
      )
    )

  /** The request when it has ended, or as it is when the client has waited long enough or the server stops. */
  const ended = (accepted: Snapshot) => untilEnded(accepted, runMs)

  return { submit, whileConnected, cancelLeft, ended }
})

export const stillRunning = ({ id }: Snapshot): Answer.Answer => FalEnds.answerOf(id, unfinished)

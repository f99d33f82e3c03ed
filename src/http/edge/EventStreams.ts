/**
 * The event streams that clients have open: how many, what keeps their connections, and how they end.
 */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Context, Effect, Fiber, Layer } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { defaultStreams } from "#domain/account/Limits.ts"
import type { AccountId } from "#domain/Ids.ts"
import { Authentication } from "#src/accounts/Authentication.ts"
import type { Caller } from "#src/accounts/Caller.ts"
import { supervise } from "#src/Supervise.ts"
import type { Headers } from "../Answer.ts"
import * as LimitRefusals from "../LimitRefusals.ts"
import * as Refusal from "../Refusal.ts"
import { Stopping } from "../Stopping.ts"
import * as EventStream from "./EventStream.ts"
import { UnderWay } from "./Exchanges.ts"

/** Open at once on a node, of whatever account. */
export const MostStreams = Context.Reference<number>("inferlog/src/http/MostStreams", {
  defaultValue: () => 20_000
})

const keepAliveEvery = "15 seconds"
/** Comments written before others get a turn. */
const keepAliveBatch = 500

/** What a client has to wait with nothing else to go by, s. */
const retryAfterSeconds = 5

export interface Opening {
  readonly request: HttpServerRequest
  readonly caller: Caller
  /** What every answer to the call carries. */
  readonly headers: Headers
}

interface Held {
  readonly fiber: Fiber.Fiber<void>
  /** What it was opened with. */
  readonly authorization: string | undefined
}

export class EventStreams extends Context.Service<
  EventStreams,
  {
    /**
     * Answers with a stream for as long as `body` runs: until that ends, the client leaves or does not read, or the server
     * stops. Refused where the account or the node has as many as it may. Completes once the stream is open: as an exchange
     * it is over then, and nothing of that is kept beside it.
     */
    serve<E>(
      opening: Opening,
      body: (stream: EventStream.EventStream) => Effect.Effect<void, E>
    ): Effect.Effect<HttpServerResponse.HttpServerResponse, Refusal.Refusal>
  }
>()("inferlog/src/http/EventStreams") {
  static readonly layer = Layer.effect(
    EventStreams,
    Effect.gen(function* () {
      const most = yield* MostStreams
      const stopping = yield* Stopping
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      const authentication = yield* Authentication
      const open = new Map<EventStream.OpenStream, Held>()
      const ofAccount = new Map<AccountId, number>()

      const isStillGood = (authorization: string | undefined) =>
        authentication.authenticate(authorization).pipe(
          Effect.as(true),
          Effect.catchTag("Unauthorized", () => Effect.succeed(false)),
          // Nobody is locked out because the log cannot be asked.
          Effect.catch(() => Effect.succeed(true))
        )

      /** A key that is none any more is good for no stream either. */
      const keepAll = Effect.gen(function* () {
        const asked = new Map<string | undefined, boolean>()
        let written = 0
        for (const [stream, { authorization }] of open) {
          const isGood = asked.get(authorization) ?? (yield* isStillGood(authorization))
          asked.set(authorization, isGood)
          if (isGood) stream.keepAlive()
          else stream.end()
          if (++written % keepAliveBatch === 0) yield* Effect.yieldNow
        }
      })
      yield* Effect.forkScoped(
        supervise("Keeping streams alive", Effect.forever(Effect.delay(keepAll, keepAliveEvery)))
      )

      const endAll = Effect.sync(() => {
        for (const stream of open.keys()) {
          if (stream.isFull()) stream.drop()
          else stream.end()
        }
      })
      yield* Effect.forkScoped(Effect.andThen(stopping, endAll))
      yield* Effect.addFinalizer(() => Fiber.interruptAll(Array.from(open.values(), ({ fiber }) => fiber)))

      const refusalOf = ({ accountId, limits }: Caller): Refusal.Refusal | null => {
        const limit = limits.maxStreams ?? defaultStreams
        if ((ofAccount.get(accountId) ?? 0) >= limit) {
          return LimitRefusals.tooManyStreams({ limit, retryAfterSeconds })
        }
        return open.size >= most ? Refusal.streamsFull : null
      }

      const count = ({ accountId }: Caller, by: 1 | -1) => {
        const counted = (ofAccount.get(accountId) ?? 0) + by
        if (counted > 0) ofAccount.set(accountId, counted)
        else ofAccount.delete(accountId)
      }

      const serve: EventStreams["Service"]["serve"] = ({ caller, headers, request }, body) =>
        Effect.map(UnderWay, ({ correlationId }) => correlationId).pipe(
          Effect.flatMap((correlationId) => {
            const refusal = refusalOf(caller)
            if (refusal !== null) return Effect.fail(refusal)
            // The server speaks HTTP/1 alone.
            const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
            // The client has left before: whoever waits for its answer is interrupted.
            if (response.req.socket.closed) return Effect.never
            const stream = EventStream.open(response, {
              ...headers,
              "x-content-type-options": "nosniff",
              "x-request-id": correlationId
            })
            const fiber = runFork(run(stream, body(stream), correlationId))
            open.set(stream, { fiber, authorization: request.headers["authorization"] })
            count(caller, 1)
            stream.onClose(() => {
              open.delete(stream)
              count(caller, -1)
              fiber.interruptUnsafe()
            })
            return Effect.succeed(sent)
          })
        )

      return EventStreams.of({ serve })
    })
  )
}

/** What the exchange is counted as. */
const sent = HttpServerResponse.empty({ status: 200 })

/** A failure ends the connection without a word: the client resumes. */
const run = <E>(
  { drop, end }: EventStream.OpenStream,
  body: Effect.Effect<void, E>,
  correlationId: string
): Effect.Effect<void> =>
  Effect.matchCauseEffect(body, {
    // Whoever does not take what is left has had time enough.
    onSuccess: () =>
      Effect.sync(end).pipe(
        Effect.andThen(Effect.sleep(EventStream.patience)),
        Effect.andThen(Effect.sync(drop))
      ),
    onFailure: (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.logError("A stream broke off", cause).pipe(
            Effect.annotateLogs({ request_id: correlationId }),
            Effect.andThen(Effect.sync(drop))
          )
  })

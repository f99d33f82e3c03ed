/** The open event streams of clients: their limits, their keep-alive comments and their end. */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Context, Effect, Fiber, Layer } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { defaultStreams } from "#domain/account/Limits.ts"
import type { AccountId } from "#domain/Ids.ts"
import { Authentication, type Credential, credentialOf } from "#src/features/accounts/Authentication.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import type { Headers } from "../Answer.ts"
import * as LimitErrorAnswers from "../LimitErrorAnswers.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import { IsStopping, Stopping } from "../Stopping.ts"
import * as EventStream from "./EventStream.ts"
import { UnderWay } from "./Exchanges.ts"
import * as StreamKeys from "./StreamKeys.ts"
import * as PipelinedAnswer from "./PipelinedAnswer.ts"

/** The most open streams of a node, over all accounts. */
export const MostStreams = Context.Reference<number>("inferlog/src/edges/http/edge/MostStreams", {
  defaultValue: () => 20_000
})

const keepAliveEvery = "15 seconds"
/** The longest time that a stream stays open after its key was revoked or has expired. */
const judgeEvery = "5 seconds"
/** Time for a reader to receive what was written before the end. */
const farewell = "5 seconds"
/** Time for an earlier answer on the connection, which the client may have read before Node notices. */
const turnPatience = "1 second"
/** Comments written before other work gets a turn. */
const keepAliveBatch = 500

/** For a client that is refused, in seconds. */
const retryAfterSeconds = 5

export interface Opening {
  readonly request: HttpServerRequest
  readonly caller: Caller
  /** Headers that every answer to the call carries. */
  readonly headers: Headers
  /** The key that the stream ends with; by default that of the `Authorization` header. */
  readonly presented?: Credential
  /** Frames for a client whose stream the server ends early, because it stops or the key became invalid. */
  readonly lastWords?: () => string
}

interface Member {
  readonly stream: EventStream.OpenStream
  readonly lastWords: Opening["lastWords"]
  readonly body: Fiber.Fiber<void>
  /** Runs from the end of the stream until its connection closes. */
  farewell: Fiber.Fiber<void> | null
}

type Body<E = unknown> = (stream: EventStream.EventStream) => Effect.Effect<void, E>

export class EventStreams extends Context.Service<
  EventStreams,
  {
    /**
     * Answers with a stream while `body` runs: until it ends, the client leaves or stops reading, its key becomes
     * invalid, or the server stops. Refused if the account or node has too many streams, if the connection has another
     * answer under way, or if the server stops. Completes when the stream is open: the exchange is over then.
     */
    serve<E>(
      opening: Opening,
      body: Body<E>
    ): Effect.Effect<HttpServerResponse.HttpServerResponse, ErrorAnswer.ErrorAnswer>
  }
>()("inferlog/src/edges/http/edge/EventStreams") {
  static readonly layer = Layer.effect(
    EventStreams,
    Effect.gen(function* () {
      const most = yield* MostStreams
      const stopping = yield* Stopping
      const isStopping = yield* IsStopping
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      const authentication = yield* Authentication
      const open = new Set<Member>()
      const ofAccount = new Map<AccountId, number>()

      /** The client gets nothing more, whether it reads or not. */
      const end = (member: Member) => {
        if (member.farewell !== null) return
        const { body, lastWords, stream } = member
        if (lastWords !== undefined) stream.write(lastWords())
        stream.end()
        body.interruptUnsafe()
        member.farewell = runFork(Effect.andThen(Effect.sleep(farewell), Effect.sync(stream.drop)))
      }

      const keys = StreamKeys.make(authentication.recognize, end)

      const keepAll = Effect.gen(function* () {
        let written = 0
        for (const { stream } of open) {
          stream.keepAlive()
          if (++written % keepAliveBatch === 0) yield* Effect.yieldNow
        }
      })
      yield* Effect.forkScoped(
        supervise("Keeping streams alive", Effect.forever(Effect.delay(keepAll, keepAliveEvery)))
      )
      yield* Effect.forkScoped(
        supervise("Judging keys of streams", Effect.forever(Effect.delay(keys.judge, judgeEvery)))
      )

      const endAll = Effect.sync(() => {
        for (const member of open) {
          if (member.stream.isFull()) member.stream.drop()
          else end(member)
        }
      })
      yield* Effect.forkScoped(Effect.andThen(stopping, endAll))
      yield* Effect.addFinalizer(() =>
        Effect.andThen(endAll, Fiber.interruptAll(Array.from(open, ({ body }) => body)))
      )

      const errorAnswerOf = ({ accountId, limits }: Caller): ErrorAnswer.ErrorAnswer | null => {
        // The server may have begun to stop while this waited.
        if (isStopping()) return ErrorAnswer.stopping
        const limit = limits.maxStreams ?? defaultStreams
        if ((ofAccount.get(accountId) ?? 0) >= limit) {
          return LimitErrorAnswers.tooManyStreams({ limit, retryAfterSeconds })
        }
        return open.size >= most ? ErrorAnswer.streamsFull : null
      }

      const count = ({ accountId }: Caller, by: 1 | -1) => {
        const counted = (ofAccount.get(accountId) ?? 0) + by
        if (counted > 0) ofAccount.set(accountId, counted)
        else ofAccount.delete(accountId)
      }

      const begin = (opening: Opening, body: Body, correlationId: string) => {
        const { caller, headers, request } = opening
        // The server speaks only HTTP/1.
        const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
        return Effect.flatMap(turnOf(response), () => {
          const errorAnswer = errorAnswerOf(caller)
          if (errorAnswer !== null) return Effect.fail(errorAnswer)
          // The client has already left, which interrupts what waits for its answer.
          if (response.req.socket.closed) return Effect.never
          const stream = EventStream.open(response, {
            ...headers,
            "x-content-type-options": "nosniff",
            "x-request-id": correlationId
          })
          const member: Member = {
            stream,
            lastWords: opening.lastWords,
            body: runFork(run(stream, body(stream), correlationId)),
            farewell: null
          }
          const presented = opening.presented ?? credentialOf(request.headers["authorization"])
          open.add(member)
          if (presented !== null) keys.add(presented, member)
          count(caller, 1)
          stream.onClose(() => {
            open.delete(member)
            if (presented !== null) keys.remove(presented, member)
            count(caller, -1)
            member.body.interruptUnsafe()
            member.farewell?.interruptUnsafe()
          })
          return Effect.succeed(sent)
        })
      }

      const serve: EventStreams["Service"]["serve"] = (opening, body) =>
        Effect.flatMap(UnderWay, ({ correlationId }) => begin(opening, body, correlationId))

      return EventStreams.of({ serve })
    })
  )
}

/** The response that is reported for the exchange. */
const sent = HttpServerResponse.empty({ status: 200 })

/** Waits for the connection: frames written behind an answer that may never end would stay in memory. */
const turnOf = (response: ServerResponse): Effect.Effect<void, ErrorAnswer.ErrorAnswer> =>
  response.socket !== null
    ? Effect.void
    : PipelinedAnswer.connected(response).pipe(
        Effect.timeoutOrElse({
          duration: turnPatience,
          orElse: () => Effect.fail(ErrorAnswer.streamPipelined)
        })
      )

/** A failure disconnects without a message, and the client resumes. */
const run = <E>(
  { drop, end }: EventStream.OpenStream,
  body: Effect.Effect<void, E>,
  correlationId: string
): Effect.Effect<void> =>
  Effect.matchCauseEffect(body, {
    onSuccess: () => Effect.sync(end),
    onFailure: (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.logError("A stream broke off", cause).pipe(
            Effect.annotateLogs({ request_id: correlationId }),
            Effect.andThen(Effect.sync(drop))
          )
  })

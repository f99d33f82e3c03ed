/** Tool calls in progress. A slow one gets an event stream before its answer, because silent connections are closed. */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Context, Effect, Exit, type Fiber, Layer, Scope } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Incoming } from "../IncomingMessage.ts"
import * as JsonRpc from "../JsonRpc.ts"
import type { Tell } from "../McpEndpoint.ts"
import { Logins } from "#src/edges/oauth/Logins.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import type { Headers } from "#src/edges/http/Answer.ts"
import * as EventStream from "#src/edges/http/edge/EventStream.ts"
import { UnderWay } from "#src/edges/http/edge/Exchanges.ts"
import * as McpErrorAnswers from "./McpErrorAnswers.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { IsStopping, Stopping } from "#src/edges/http/Stopping.ts"
import * as CallAnswer from "./CallAnswer.ts"
import * as CallReply from "./CallReply.ts"

const keepAliveEvery = "15 seconds"
/** How long a call may continue after its sign-in has ended. */
const judgeEvery = "5 seconds"
/** For tools that end by themselves at a stop. The server waits for answers a little longer. */
const timeToStop = "300 millis"
/** Sign-ins that are checked at once. */
const concurrency = 32

/** Limits of concurrent tool calls. Calls mostly wait: a thousand waiting ones take some 90 MiB. */
export const CallLimits = Context.Reference<{
  /** High enough for a user of many agents. */
  readonly ofAccount: number
  /** Of this node, for all accounts. */
  readonly inAll: number
}>("inferlog/src/edges/mcp/routes/CallLimits", {
  defaultValue: () => ({ ofAccount: 1_200, inAll: 3_000 })
})

interface Call {
  readonly request: HttpServerRequest
  readonly loginId: string
  readonly message: Incoming
  /** Headers of every answer to the call. */
  readonly headers: Headers
  /** Closes when the call has ended. */
  readonly scope: Scope.Closeable
  readonly work: (tell: Tell) => Effect.Effect<void>
}

interface RunningCall {
  readonly loginId: string
  readonly reply: ReturnType<typeof CallReply.make>
  fiber: Fiber.Fiber<void> | null
  stream: EventStream.OpenStream | null
}

/** How the exchange is counted once its stream is open. */
const sent = HttpServerResponse.empty({ status: 200 })

const make = Effect.gen(function* () {
  const logins = yield* Logins
  const stopping = yield* Stopping
  const isStopping = yield* IsStopping
  const scope = yield* Effect.scope
  const { inAll } = yield* CallLimits
  const signedOut = McpErrorAnswers.signedOut((yield* PublicUrls).mcpUrl)
  const underWay = new Set<RunningCall>()
  /** Requests among the messages: a batch has several. */
  let requests = 0

  const end = ({ fiber, reply }: RunningCall, reason: JsonRpc.ErrorObject) => {
    reply.blame(reason)
    fiber?.interruptUnsafe()
  }

  const keepAll = Effect.sync(() => {
    for (const { stream } of underWay) stream?.keepAlive()
  })
  yield* Effect.forkScoped(
    supervise("Keeping tool calls alive", Effect.forever(Effect.delay(keepAll, keepAliveEvery)))
  )

  /** A call continues when the log cannot be read. */
  const judgeOne = (loginId: string) =>
    Effect.map(logins.caller(loginId), (caller) => {
      if (caller !== null) return
      for (const running of underWay) if (running.loginId === loginId) end(running, JsonRpc.signedOut)
    }).pipe(Effect.ignore)
  const judge = Effect.suspend(() =>
    Effect.forEach(new Set(Array.from(underWay, ({ loginId }) => loginId)), judgeOne, {
      concurrency,
      discard: true
    })
  )
  yield* Effect.forkScoped(
    supervise("Judging sign-ins of tool calls", Effect.forever(Effect.delay(judge, judgeEvery)))
  )

  const endAll = Effect.sync(() => {
    for (const running of underWay) end(running, JsonRpc.stopping)
  })
  yield* Effect.forkScoped(Effect.andThen(stopping, Effect.delay(endAll, timeToStop)))
  yield* Effect.addFinalizer(() => endAll)

  /** Written data is still sent, unless the reader is too slow (`SlowReaders`). */
  const endStream = (stream: EventStream.OpenStream) =>
    Effect.callback<void>((resume) => {
      stream.onClose(() => resume(Effect.void))
      stream.end()
    }).pipe(Effect.forkIn(scope))

  const begin = ({ loginId, message, scope: own, work }: Call) =>
    Effect.suspend(() => {
      const running: RunningCall = { loginId, reply: CallReply.make(message), stream: null, fiber: null }
      underWay.add(running)
      requests += message.requests
      const over = Effect.suspend(() => {
        underWay.delete(running)
        requests -= message.requests
        const closed = Effect.andThen(running.reply.over, Scope.close(own, Exit.void))
        return running.stream === null ? closed : Effect.andThen(endStream(running.stream), closed)
      })
      return Effect.map(
        Effect.forkIn(Effect.ensuring(Effect.interruptible(work(running.reply.tell)), over), scope, {
          startImmediately: true
        }),
        (fiber) => {
          running.fiber = fiber
          return running
        }
      )
    })

  const leave = ({ fiber, reply }: RunningCall) =>
    Effect.sync(() => {
      reply.writeTo(null)
      fiber?.interruptUnsafe()
    })

  /** From then on the platform considers the exchange finished. */
  const openStream = (running: RunningCall, { headers, request }: Call, correlationId: string) =>
    Effect.suspend((): Effect.Effect<HttpServerResponse.HttpServerResponse, ErrorAnswer.ErrorAnswer> => {
      // The server speaks only HTTP/1.
      const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
      // A pipelined answer would wait for the one before it.
      if (response.socket === null) {
        return Effect.andThen(leave(running), Effect.fail(ErrorAnswer.streamPipelined))
      }
      if (response.socket.closed) return Effect.as(leave(running), sent)
      const stream = EventStream.open(response, {
        ...headers,
        "x-content-type-options": "nosniff",
        "x-request-id": correlationId
      })
      running.stream = stream
      stream.onClose(() => void running.fiber?.interruptUnsafe())
      stream.keepAlive()
      running.reply.writeTo(stream)
      if (underWay.has(running)) return Effect.succeed(sent)
      // The call ended before it had a stream, so the end is written here.
      stream.write(CallAnswer.event(running.reply.failure()))
      return Effect.as(endStream(stream), sent)
    })

  /** Answers with the results of `work`. `work` is interrupted when the client disconnects or the sign-in ends. */
  const answer = (call: Call) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        if (isStopping()) return yield* ErrorAnswer.stopping
        // Notifications are short, and may cancel other calls.
        const more = call.message.requests
        if (more > 0 && requests + more > inAll) return yield* McpErrorAnswers.callsFull
        const { correlationId } = yield* UnderWay
        const running = yield* begin(call)
        const first = yield* Effect.onInterrupt(restore(running.reply.first), () => leave(running))
        if (first === null) return yield* openStream(running, call, correlationId)
        const reason = running.reply.reason()
        if (reason === null || first.status < 400) return CallAnswer.whole(first, call.message.id)
        return yield* reason === JsonRpc.stopping ? ErrorAnswer.stopping : signedOut
      })
    )

  return { answer }
})

export class ToolCalls extends Context.Service<ToolCalls, Effect.Success<typeof make>>()(
  "inferlog/src/edges/mcp/routes/ToolCalls"
) {
  static readonly layer = Layer.effect(ToolCalls, make)
}

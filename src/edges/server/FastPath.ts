/** Serves submits and reads of one request before the declared API, with the same handlers at less cost (decision 16). */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Cause, Clock, Context, Effect, Exit, Fiber, Layer, References } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as Later from "#src/kernel/async/Later.ts"
import * as Settled from "#src/kernel/async/Settled.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CorrelationId from "#src/edges/http/edge/CorrelationId.ts"
import { Admission, type Admitted } from "#src/edges/http/edge/Admission.ts"
import { clientClosed, Exchanges, timer } from "#src/edges/http/edge/Exchanges.ts"
import { Front } from "#src/edges/http/edge/FrontedServer.ts"
import * as OutgoingAnswer from "#src/edges/http/edge/OutgoingAnswer.ts"
import { answerError } from "#src/edges/http/edge/Respond.ts"
import { SlowReaders } from "#src/edges/http/edge/SlowReaders.ts"
import { RouteTable } from "#src/edges/http/edge/RouteTable.ts"
import * as Turn from "#src/edges/http/edge/Turn.ts"
import * as ReaderErrorAnswers from "#src/edges/http/ReaderErrorAnswers.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { RequestHandlers } from "#src/edges/api/requests/RequestHandlers.ts"
import { IsStopping } from "#src/edges/http/Stopping.ts"
import type { ServiceError } from "#src/edges/http/ServiceErrors.ts"
import * as HotCall from "./HotCall.ts"
import * as IncomingBody from "./IncomingBody.ts"

interface Answering {
  readonly correlationId: string
  readonly onAdmitted: (accountId: string) => void
}

const headersOf = ({ headers }: IncomingMessage) => headers as Readonly<Record<string, string | undefined>>

const make = Effect.gen(function* () {
  const routes = yield* RequestHandlers
  const { gate } = yield* Admission
  const ids = yield* IdGenerator
  const table = yield* RouteTable
  const exchanges = yield* Exchanges
  const clock = yield* Clock.Clock
  const services = yield* Effect.context<never>()
  const isTraced = yield* References.TracerEnabled
  const isStopping = yield* IsStopping
  const readers = yield* SlowReaders
  const gateOf = (name: HotCall.HotCall["route"]) => gate(table.requires(name), table.tokens(name))
  const enter = {
    submitRequest: gateOf("submitRequest"),
    getRequestStatus: gateOf("getRequestStatus"),
    getRequestResult: gateOf("getRequestResult"),
    getRequest: gateOf("getRequest")
  }
  const running = new Set<Fiber.Fiber<unknown, unknown>>()
  /** The submits of one commit become durable in one turn, and their answers are written together. */
  const writeLater = Turn.make<() => void>((write) => write())

  const admit = (
    route: HotCall.HotCall["route"],
    request: IncomingMessage,
    response: ServerResponse
  ): Effect.Effect<Admitted<Caller>, ServiceError> =>
    enter[route]({ headers: headersOf(request), response: () => response })

  const route = (
    call: HotCall.HotCall,
    caller: Caller,
    request: IncomingMessage
  ): Effect.Effect<Answer.Answer, ServiceError> => {
    const headers = headersOf(request)
    switch (call.route) {
      case "submitRequest":
        return routes.submit({
          caller,
          params: call.params,
          headers,
          wait: undefined,
          readBody: (grow) => IncomingBody.read(request, grow)
        })
      case "getRequestStatus":
        return routes.status({ caller, params: call.params, headers, wait: undefined })
      case "getRequestResult":
        return routes.result({ caller, params: call.params })
      case "getRequest":
        return routes.retrieve({ caller, params: call.params })
    }
  }

  const answerTo = (
    call: HotCall.HotCall,
    { caller, headers }: Admitted<Caller>,
    request: IncomingMessage,
    correlationId: string
  ): Effect.Effect<Answer.Answer, ServiceError> => {
    const answer = route(call, caller, request)
    if (headers === Answer.noHeaders) return answer
    return Effect.mapEager(
      Effect.catchEager(answer, (error) => answerError(error, correlationId)),
      (answer) => Answer.carrying(answer, headers)
    )
  }

  const rescue = (cause: Cause.Cause<ServiceError>, correlationId: string): Effect.Effect<Answer.Answer> => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.succeed(ErrorAnswer.stopping.toAnswer(correlationId))
    const error = Cause.findErrorOption(cause)
    return error._tag === "Some"
      ? answerError(error.value, correlationId)
      : Effect.as(Effect.logError("Unexpected error", cause), ErrorAnswer.unexpected.toAnswer(correlationId))
  }

  /** The answer to a call. It may end with any failure. */
  const answer = (
    call: HotCall.HotCall,
    request: IncomingMessage,
    response: ServerResponse,
    { correlationId, onAdmitted }: Answering
  ): Effect.Effect<Answer.Answer, ServiceError> =>
    Settled.of(() =>
      Effect.flatMapEager(admit(call.route, request, response), (admitted) => {
        onAdmitted(admitted.caller.accountId)
        return answerTo(call, admitted, request, correlationId)
      })
    )

  const handle = (call: HotCall.HotCall, request: IncomingMessage, response: ServerResponse): void => {
    const elapsedMs = timer(clock)
    const correlationId = CorrelationId.next(ids)
    const fork = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.runForkWith(
        Context.add(services, References.CurrentLogAnnotations, { request_id: correlationId })
      )(effect)
    let accountId: string | null = null
    /** Refuses a large answer while too many bytes wait for slow readers. */
    const fitting = (answer: Answer.Answer): Answer.Answer => {
      const full = readers.admit(response, {
        bytes: OutgoingAnswer.heldBytes(answer),
        accountId,
        address: () => request.socket.remoteAddress ?? ""
      })
      return full === null ? answer : ReaderErrorAnswers.of(full).toAnswer(correlationId)
    }
    const finish = (ended: Answer.Answer) => {
      const isGone = response.destroyed || request.socket.destroyed
      const answer = isGone ? ended : fitting(ended)
      if (isStopping()) response.shouldKeepAlive = false
      const rest = isGone ? null : OutgoingAnswer.write(request, response, answer, correlationId)
      if (rest !== null) follow(fork(rest), response)
      exchanges({
        correlationId,
        method: request.method ?? "",
        route: table.path(call.route),
        status: isGone ? clientClosed : answer.status,
        durationMs: elapsedMs()
      })
    }
    const forkFollowed = <A, E>(effect: Effect.Effect<A, E>) => follow(fork(effect), response)
    const end = (exit: Exit.Exit<Answer.Answer, ServiceError>) => {
      if (Exit.isSuccess(exit)) finish(exit.value)
      else
        Later.settle(rescue(exit.cause, correlationId), forkFollowed, (rescued) =>
          finish(Exit.isSuccess(rescued) ? rescued.value : ErrorAnswer.stopping.toAnswer(correlationId))
        )
    }
    let hasFiber = false
    let isLater = false
    Later.settle(
      answer(call, request, response, { correlationId, onAdmitted: (id) => void (accountId = id) }),
      (effect) => {
        hasFiber = true
        return forkFollowed(effect)
      },
      (exit) => {
        if (isLater && !hasFiber) writeLater(() => end(exit))
        else end(exit)
      }
    )
    isLater = true
  }

  /** Interrupts the fiber when the client disconnects. */
  const follow = <A, E>(fiber: Fiber.Fiber<A, E>, response: ServerResponse): Fiber.Fiber<A, E> => {
    if (fiber.pollUnsafe() !== undefined) return fiber
    running.add(fiber)
    fiber.addObserver(() => running.delete(fiber))
    response.once("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
    return fiber
  }

  yield* Effect.addFinalizer(() => Fiber.interruptAll(running))
  const front = yield* Front
  yield* front.place((request, response) => {
    // Only the declared API continues a client's trace.
    if (isTraced && request.headers["traceparent"] !== undefined) return false
    const call = HotCall.recognize(request)
    if (call === null || !table.isServedHere(call.route, request.headers.host)) return false
    handle(call, request, response)
    return true
  })
})

export const layer = Layer.effectDiscard(make)

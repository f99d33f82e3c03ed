/**
 * Posts many webhooks at a time, each with one deadline, and reuses connections where that is safe. It works with callbacks, so
 * that a post over a reused connection needs no fiber.
 */
import { Duration, Effect, Exit, FiberSet, Option, Result, Scope } from "effect"
import { connect, OutboundAuthorities, type Addresses } from "./Connection.ts"
import * as Deadlines from "#src/kernel/time/Deadlines.ts"
import * as IdleConnections from "./IdleConnections.ts"
import { OutboundError, type FailureReason, type OutboundRefused } from "./OutboundError.ts"
import type { Target } from "./OutboundUrl.ts"
import * as PostExchange from "./PostExchange.ts"
import * as SharedLookups from "./SharedLookups.ts"
import type { Resolve, Vetting } from "./Vetting.ts"

export interface OutboundPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** One deadline over DNS, connect, TLS and headers. */
  readonly timeout: Duration.Duration
}

/** Redirects are not followed. */
export type OutboundAnswer = PostExchange.AnswerHead

export type PostEnd = Exit.Exit<OutboundAnswer, OutboundRefused | OutboundError>

/**
 * Calls `onEnd` once, after it has returned. The returned function ends the post at once; `onEnd` is then not called. A
 * message is never sent again once a byte of it may have been sent.
 */
export type Send = (request: OutboundPost, onEnd: (end: PostEnd) => void) => () => void

const failed = (reason: FailureReason) => Exit.fail(new OutboundError({ reason }))

const nothing = () => {}

/** Runs functions once the bytes that receivers have sent are read, which shows connections that a receiver has closed. */
const makeReceivedIsRead = () => {
  let waiting: Array<() => void> = []
  const flush = () => {
    const all = waiting
    waiting = []
    for (const run of all) run()
  }
  return (run: () => void) => {
    if (waiting.length === 0) setImmediate(flush)
    waiting.push(run)
  }
}

export const make = Effect.fnUntraced(function* (vetting: Vetting, resolve: Resolve) {
  const authorities = yield* OutboundAuthorities
  const connections = yield* IdleConnections.make
  const deadlines = yield* Deadlines.make
  const fork = yield* FiberSet.makeRuntime<never>()
  const receivedIsRead = makeReceivedIsRead()
  const lookUp = yield* SharedLookups.make((name) =>
    Effect.mapError(resolve(name), () => new OutboundError({ reason: "dns_error" }))
  )

  /** Connects and returns the connection with the function that closes it. */
  const open = (target: Target, addresses: Addresses) => {
    const scope = Scope.makeUnsafe()
    return connect(target, addresses, authorities).pipe(
      Scope.provide(scope),
      Effect.map((socket) => connections.open(socket, target)),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
    )
  }

  const send: Send = (request, onEnd) => {
    let isEnded = false
    let isResolved = false
    let answer: (() => OutboundAnswer) | undefined
    /** Ends what is under way. */
    let stop = nothing
    /** Whether the post still waits for what is under way. What has ended once is not ended again. */
    const moveOn = () => {
      stop = nothing
      return !isEnded
    }

    const end = (result: PostEnd) => {
      if (isEnded) return
      isEnded = true
      cancelDeadline()
      onEnd(result)
    }

    /** `onUnsent` is called when the connection was closed before anything was sent. */
    const exchange = (connection: IdleConnections.Connection, path: string, onUnsent: () => void) => {
      stop = () => IdleConnections.close(connection)
      const { body, headers } = request
      PostExchange.post(
        connection.client,
        { path, headers, body },
        deadlines,
        (head) => {
          answer = head
        },
        (result) => {
          const isReusable = Exit.isSuccess(result) && result.value?.isComplete === true
          if (isReusable) connections.keep(connection)
          else IdleConnections.close(connection)
          if (!moveOn()) return
          if (Exit.isFailure(result)) end(Exit.failCause(result.cause))
          else if (result.value === null) onUnsent()
          else end(Exit.succeed(result.value))
        }
      )
    }

    const overFresh = (target: Target, addresses: Addresses) => {
      const fiber = fork(open(target, addresses))
      stop = () => fiber.interruptUnsafe()
      fiber.addObserver((opened) => {
        if (!moveOn()) {
          if (Exit.isSuccess(opened)) IdleConnections.close(opened.value)
        } else if (Exit.isFailure(opened)) end(Exit.failCause(opened.cause))
        else exchange(opened.value, target.path, () => end(failed("connection_failed")))
      })
    }

    const over = (target: Target, vetted: Result.Result<Addresses, OutboundRefused>) => {
      if (Result.isFailure(vetted)) return end(Exit.fail(vetted.failure))
      const addresses = vetted.success
      isResolved = true
      const reused = connections.take(target, addresses)
      if (Option.isNone(reused)) overFresh(target, addresses)
      else exchange(reused.value, target.path, () => overFresh(target, addresses))
    }

    const begin = () => {
      if (isEnded) return
      const parsed = vetting.parse(request.url)
      if (Result.isFailure(parsed)) return end(Exit.fail(parsed.failure))
      const target = parsed.success
      if (Option.isSome(target.literal)) return over(target, vetting.literal(target, target.literal.value))
      let isFound = false
      const cancel = lookUp(target.host, (found) => {
        isFound = true
        stop = nothing
        if (Exit.isFailure(found)) return end(Exit.failCause(found.cause))
        receivedIsRead(() => {
          if (!isEnded) over(target, vetting.answers(target, found.value))
        })
      })
      if (!isFound) stop = cancel
    }

    const cancelDeadline = deadlines.after(Duration.toMillis(request.timeout), () => {
      if (isEnded) return
      isEnded = true
      stop()
      onEnd(answer === undefined ? failed(isResolved ? "timeout" : "dns_error") : Exit.succeed(answer()))
    })
    receivedIsRead(begin)

    return () => {
      if (isEnded) return
      isEnded = true
      cancelDeadline()
      stop()
    }
  }
  return send
})

/** Posts many webhooks at a time, each with one deadline, and reuses connections where that is safe. */
import { type Duration, Effect, Exit, Option, Scope, Fiber, RcMap } from "effect"
import { connect, OutboundAuthorities, type Addresses } from "./Connection.ts"
import * as IdleConnections from "./IdleConnections.ts"
import { OutboundError, type FailureReason } from "./OutboundError.ts"
import type { Target } from "./OutboundUrl.ts"
import * as PostExchange from "./PostExchange.ts"
import type { Resolve, Vetting } from "./Vetting.ts"

/** One query per name at a time, cancelled when no call waits for it. Not cached, because each call must check. */
export const shared = Effect.fnUntraced(function* (resolve: Resolve) {
  const inFlight = yield* RcMap.make({ lookup: (name: string) => Effect.forkScoped(resolve(name)) })
  const lookUp: Resolve = (name) => RcMap.get(inFlight, name).pipe(Effect.flatMap(Fiber.join), Effect.scoped)
  return lookUp
})

export interface OutboundPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** One deadline over DNS, connect, TLS and headers. */
  readonly timeout: Duration.Duration
}

export interface OutboundAnswer {
  /** Any status from 200. Redirects are not followed. */
  readonly status: number
}

/** How far a call has come when its deadline ends it. */
interface Progress {
  isResolved: boolean
  answer: OutboundAnswer | undefined
}

const failWith = (reason: FailureReason) => Effect.fail(new OutboundError({ reason }))

/** Ends once all bytes from receivers are read, which shows connections that a receiver closed after its answer. */
const receivedIsRead = Effect.callback<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/** Within one call, a message is never sent again once a byte of it may have been sent. */
export const make = Effect.fnUntraced(function* (vetting: Vetting, resolve: Resolve) {
  const authorities = yield* OutboundAuthorities
  const connections = yield* IdleConnections.make
  const lookUp = yield* shared(resolve)

  const isReusable = (exit: Exit.Exit<Option.Option<PostExchange.Answer>, unknown>) =>
    Exit.isSuccess(exit) && Option.exists(exit.value, ({ isComplete }) => isComplete)

  const exchange = (
    connection: IdleConnections.Connection,
    { path }: Target,
    { headers, body }: OutboundPost,
    progress: Progress,
    before: Effect.Effect<void> = Effect.void
  ) =>
    before.pipe(
      Effect.andThen(
        PostExchange.post(connection.client, { path, headers, body }, (status) => {
          progress.answer = { status }
        })
      ),
      Effect.onExit((exit) =>
        Effect.sync(() =>
          isReusable(exit) ? connections.keep(connection) : IdleConnections.close(connection)
        )
      )
    )

  const overFresh = (target: Target, addresses: Addresses, request: OutboundPost, progress: Progress) =>
    Effect.suspend(() => {
      const scope = Scope.makeUnsafe()
      return connect(target, addresses, authorities).pipe(
        Scope.provide(scope),
        Effect.flatMap((socket) => exchange(connections.open(socket, target), target, request, progress)),
        Effect.onExit((exit) => (isReusable(exit) ? Effect.void : Scope.close(scope, exit)))
      )
    })

  const send = Effect.fnUntraced(function* (request: OutboundPost, progress: Progress) {
    const target = yield* vetting.parse(request.url)
    const addresses = yield* vetting
      .addresses(target, lookUp)
      .pipe(Effect.catchTag("OutboundUnresolved", () => failWith("dns_error")))
    progress.isResolved = true
    const reused = connections.take(target, addresses)
    // None when the receiver had closed the connection before anything was sent.
    const early = Option.isSome(reused)
      ? yield* exchange(reused.value, target, request, progress, receivedIsRead)
      : Option.none<PostExchange.Answer>()
    const answer = Option.isSome(early) ? early : yield* overFresh(target, addresses, request, progress)
    if (Option.isNone(answer)) return yield* failWith("connection_failed")
    return { status: answer.value.status } satisfies OutboundAnswer
  })

  return (request: OutboundPost) =>
    Effect.suspend(() => {
      const progress: Progress = { isResolved: false, answer: undefined }
      return send(request, progress).pipe(
        Effect.timeoutOrElse({
          duration: request.timeout,
          orElse: () =>
            progress.answer === undefined
              ? failWith(progress.isResolved ? "timeout" : "dns_error")
              : Effect.succeed(progress.answer)
        })
      )
    })
})

/** Follows the event stream of a server for as long as it takes, and reports when the server disappears and is back. */
import { Effect, Option, Stream } from "effect"
import { UnknownEventIdError } from "#clients/typescript/Errors.ts"
import type { AccountEvent } from "#clients/typescript/AccountStream.ts"
import type { UsageError } from "#src/cli/Failure.ts"
import * as CallError from "./CallError.ts"
import { Platform } from "./Platform.ts"

/** Longest silence, ms. A live server sends something every 15 s. */
const longestSilence = 45_000

export interface Options<R> {
  /** At most 100. Empty: all. */
  readonly requestIds: ReadonlyArray<string>
  readonly model: Option.Option<string>
  /** The stream is not read while it runs. `isResumed`: the connection resumed a previous one. */
  readonly onEvent: (
    event: AccountEvent,
    isResumed: boolean
  ) => Effect.Effect<void, CallError.CallError | UsageError, R>
  /** Whether to stop. Called after each event. */
  readonly isOver?: () => boolean
  /** Runs at the first connection. */
  readonly onBegin: Effect.Effect<void>
  /** Reports in one line that the server disappeared or is back. */
  readonly say: (text: string) => Effect.Effect<void>
}

/** The log was replaced, or restored from an older copy. */
const isOfAnotherLog = (error: { readonly _tag: string }): boolean =>
  error instanceof CallError.CallError && error.cause instanceof UnknownEventIdError

/** Ends when `isOver`, or when all named requests have ended. Fails on a permanent refusal and if unreachable at the start. */
export const follow = Effect.fnUntraced(function* <R>({
  isOver = () => false,
  model,
  onBegin,
  onEvent,
  requestIds,
  say
}: Options<R>) {
  const platform = yield* Platform
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  let hasConnected = false
  let isAway = false
  let isResumed = false

  const connected = () => {
    if (!hasConnected) runFork(onBegin)
    else if (isAway) runFork(say("Reconnected."))
    hasConnected = true
    isAway = false
  }

  const client = platform.connect({
    retries: Infinity,
    timeout: longestSilence,
    fetch: async (input, init) => {
      const response = await platform.fetch(input, init)
      isResumed = new Headers(init?.headers).has("last-event-id")
      if (response.status === 200) connected()
      return response
    },
    hooks: {
      retry: ({ error, reason }) => {
        if (isAway || reason === "the stream ended") return
        isAway = true
        const message = CallError.of(platform.url)(error).message.replace(/\.$/, "")
        runFork(say(`${message}; reconnecting until the server responds.`))
      }
    }
  })

  const filter = {
    modelEndpoint: Option.getOrUndefined(model),
    requestIds: requestIds.length === 0 ? undefined : requestIds
  }
  const events = Stream.suspend(() =>
    Stream.fromAsyncIterable(client.requests.stream(filter), CallError.of(platform.url))
  )
  yield* Stream.runForEachWhile(events, (event) =>
    Effect.map(onEvent(event, isResumed), () => !isOver())
  ).pipe(
    Effect.tapError((error) =>
      isOfAnotherLog(error)
        ? say(
            "The log of the server was replaced: events since the last one may be missing. Following the new log."
          )
        : Effect.void
    ),
    Effect.retry({ while: isOfAnotherLog })
  )
})

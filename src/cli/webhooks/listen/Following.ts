/** Follows the event stream of a server for as long as it takes, and reports when the server disappears and is back. */
import { Effect, Schema, Stream } from "effect"
import { UnknownEventIdError } from "#clients/typescript/Errors.ts"
import type { AccountStreamFilter } from "#clients/typescript/AccountStream.ts"
import * as CallError from "#src/cli/platform/CallError.ts"
import { Platform } from "#src/cli/platform/Platform.ts"
import { StatusFrame } from "./EventSelection.ts"

/** Longest silence, ms. A live server sends something every 15 s. */
const longestSilence = 45_000

export interface Options<R> {
  readonly filter: AccountStreamFilter
  /** The stream is not read while it runs. `isResumed`: the connection resumed a previous one. */
  readonly onStatus: (frame: typeof StatusFrame.Type, isResumed: boolean) => Effect.Effect<void, never, R>
  /** Whether to stop. Called after each frame. */
  readonly isOver: () => boolean
  /** Runs at the first connection. */
  readonly onBegin: Effect.Effect<void>
  /** Reports in one line that the server disappeared or is back. */
  readonly say: (text: string) => Effect.Effect<void>
}

const decode = Schema.decodeUnknownEffect(StatusFrame)

const notAsExpected = (cause: unknown) =>
  new CallError.CallError({
    message: "unexpected frame of the event stream: the server may be another release",
    cause
  })

/** The log was replaced, or restored from an older copy. */
const isOfAnotherLog = (error: { readonly _tag: string }): boolean =>
  error instanceof CallError.CallError && error.cause instanceof UnknownEventIdError

/** Ends when `isOver`, or when all named requests have ended. Fails on a permanent refusal and if unreachable at the start. */
export const follow = Effect.fnUntraced(function* <R>({
  filter,
  isOver,
  onBegin,
  onStatus,
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

  const events = Stream.suspend(() =>
    Stream.fromAsyncIterable(client.requests.stream(filter), CallError.of(platform.url))
  )
  yield* Stream.runForEachWhile(events, ({ data, type }) =>
    type === "status"
      ? Effect.mapError(decode(data), notAsExpected).pipe(
          Effect.flatMap((frame) => onStatus(frame, isResumed)),
          Effect.map(() => !isOver())
        )
      : Effect.succeed(true)
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

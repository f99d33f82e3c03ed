/** Follows the event stream of a server. A broken connection resumes after the last received frame. */
import { Duration, Effect, Stream } from "effect"
import type * as Sse from "effect/encoding/Sse"
import { type CallError, Platform } from "#src/cli/platform/Platform.ts"
import { type Refused, unexpected } from "#src/cli/platform/CallErrors.ts"
import * as Retrying from "#src/cli/platform/Retrying.ts"
import * as EventStream from "./EventStream.ts"

export const path = "/requests/stream"

/** Pause between connections, ms, unless the server sets another one. */
const usualPause = 2_000
const shortestPause = 50
const longestPause = 60_000

/** Most doublings of a pause. It stays at a few seconds, because a developer is waiting. */
const mostBackOff = 4

export interface Frame {
  readonly event: string
  readonly data: string
  /** Whether the connection resumed a previous one. */
  readonly isResumed: boolean
}

export interface Options<R> {
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** The stream is not read while it runs. A frame counts as received when it starts. */
  readonly onFrame: (frame: Frame) => Effect.Effect<void, Refused, R>
  /** Whether to stop. Called after each frame, and when a connection ends. */
  readonly isOver: () => boolean
  /** Runs at the first connection. */
  readonly onBegin: Effect.Effect<void>
  /** Reports in one line that the server disappeared or is back. */
  readonly say: (text: string) => Effect.Effect<void>
}

const notAStream = (contentType = "no content type") =>
  unexpected(`${path} returns ${contentType} instead of an event stream: the server may be another release`)

/** The log was replaced, or restored from an older copy. */
const isOfAnotherLog = (error: CallError): boolean =>
  error._tag === "Refused" && error.code === "UNKNOWN_EVENT_ID"

/** Ends when `isOver`. Fails on a permanent refusal and if unreachable at the start. Resumes by `Last-Event-ID`. */
export const follow = Effect.fnUntraced(function* <R>({
  isOver,
  onBegin,
  onFrame,
  query,
  say
}: Options<R>): Effect.fn.Return<void, CallError, R | Platform> {
  const platform = yield* Platform
  let lastId: string | null = null
  let pause = usualPause
  let failures = 0
  let hasConnected = false
  let isAway = false
  let isExhausted = false

  const opened = Effect.fnUntraced(function* () {
    const answer = yield* platform
      .open({
        method: "GET",
        path,
        query,
        headers: { accept: "text/event-stream", ...(lastId !== null && { "last-event-id": lastId }) }
      })
      .pipe(EventStream.unlessSilent(platform.url))
    const contentType = answer.headers["content-type"]
    // 204: all given requests have ended, and all their events were received.
    isExhausted = answer.status === 204
    if (isExhausted) return null
    if (contentType?.startsWith("text/event-stream") !== true) return yield* notAStream(contentType)
    if (!hasConnected) yield* onBegin
    else if (isAway) yield* say("Reconnected.")
    failures = 0
    hasConnected = true
    isAway = false
    return answer
  })

  const handle = Effect.fnUntraced(function* (parsed: Sse.AnyEvent, isResumed: boolean) {
    if (parsed._tag === "Retry") {
      pause = Math.min(longestPause, Math.max(shortestPause, Duration.toMillis(parsed.duration)))
      return
    }
    const { data, event, id } = parsed
    lastId = id ?? lastId
    if (data !== "") yield* onFrame({ event, data, isResumed })
  })

  const connection = Effect.gen(function* () {
    const answer = yield* opened()
    if (answer === null) return
    const isResumed = lastId !== null
    yield* Stream.runForEachWhile(EventStream.read(platform.url, answer), (parsed) =>
      Effect.map(handle(parsed, isResumed), () => !isOver())
    )
  })

  const retry = Effect.fnUntraced(function* (error: CallError) {
    failures += 1
    const delay = yield* Retrying.delay(error, Math.min(failures, mostBackOff))
    if (!isAway) yield* say(`${error.message.replace(/\.$/, "")}; reconnecting until the server responds.`)
    isAway = true
    yield* Effect.sleep(Math.max(pause, delay))
  })

  const startOver = Effect.suspend(() => {
    lastId = null
    return say(
      "The log of the server was replaced: events since the last one may be missing. Following the new log."
    )
  })

  const hasMore = () => !isExhausted && !isOver()
  while (hasMore()) {
    yield* connection.pipe(
      Effect.andThen(Effect.suspend(() => (hasMore() ? Effect.sleep(pause) : Effect.void))),
      Effect.catchIf(
        (error) => Retrying.isTransient(error) && (hasConnected || error._tag !== "Unreachable"),
        retry
      ),
      Effect.catchIf(
        (error) => isOfAnotherLog(error) && lastId !== null,
        () => startOver
      )
    )
  }
})

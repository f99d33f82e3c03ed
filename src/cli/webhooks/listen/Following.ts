/** The event stream of a server, for as long as it takes: what breaks off is resumed behind the last frame that came. */
import { Duration, Effect, Stream } from "effect"
import type * as Sse from "effect/encoding/Sse"
import { type CallError, Platform } from "#src/cli/platform/Platform.ts"
import { type Refused, unexpected } from "#src/cli/platform/Refusal.ts"
import * as Retrying from "#src/cli/platform/Retrying.ts"
import * as EventStream from "./EventStream.ts"

export const path = "/requests/stream"

/** ms between connections, unless the server asks for another time. */
const usualPause = 2_000
const shortestPause = 50
const longestPause = 60_000

/** How often a pause is doubled, at most: to some seconds, for a developer is waiting. */
const mostBackOff = 4

export interface Frame {
  /** The name of the event. */
  readonly event: string
  readonly data: string
  /** Whether its connection went on behind another one. */
  readonly isResumed: boolean
}

export interface Options<R> {
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** Nothing is read while it runs. A frame counts as come when it begins. */
  readonly onFrame: (frame: Frame) => Effect.Effect<void, Refused, R>
  /** Whether there is nothing more to come. Asked after each frame, and when a connection ends. */
  readonly isOver: () => boolean
  /** When it is connected for the first time. */
  readonly onBegin: Effect.Effect<void>
  /** In one line, when the server goes away and when it is there again. */
  readonly say: (text: string) => Effect.Effect<void>
}

const notAStream = (contentType = "nothing") =>
  unexpected(`${path} answers ${contentType}, not an event stream: is the server of another release?`)

/** Of a log that was replaced, or restored from an older copy. */
const isOfAnotherLog = (error: CallError): boolean =>
  error._tag === "Refused" && error.code === "UNKNOWN_EVENT_ID"

/**
 * Ends when there is nothing more to come, and fails when the server refuses for good, or is not there to begin with.
 * Of a connection that went on `Last-Event-ID` makes sure that nothing is missed or comes twice.
 */
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
  let isAllTold = false

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
    // All that were named have ended, and nothing is to be told of them any more.
    isAllTold = answer.status === 204
    if (isAllTold) return null
    if (contentType?.startsWith("text/event-stream") !== true) return yield* notAStream(contentType)
    if (!hasConnected) yield* onBegin
    else if (isAway) yield* say("Reconnected.")
    failures = 0
    hasConnected = true
    isAway = false
    return answer
  })

  const dealWith = Effect.fnUntraced(function* (parsed: Sse.AnyEvent, isResumed: boolean) {
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
      Effect.map(dealWith(parsed, isResumed), () => !isOver())
    )
  })

  const retry = Effect.fnUntraced(function* (error: CallError) {
    failures += 1
    const delay = yield* Retrying.delay(error, Math.min(failures, mostBackOff))
    if (!isAway) yield* say(`${error.message.replace(/\.$/, "")}; it is tried again until it answers.`)
    isAway = true
    yield* Effect.sleep(Math.max(pause, delay))
  })

  const beginAnew = Effect.suspend(() => {
    lastId = null
    return say("The server has another log by now: what happened meanwhile is not known. Following goes on.")
  })

  const hasMore = () => !isAllTold && !isOver()
  while (hasMore()) {
    yield* connection.pipe(
      Effect.andThen(Effect.suspend(() => (hasMore() ? Effect.sleep(pause) : Effect.void))),
      Effect.catchIf(
        (error) => Retrying.isTransient(error) && (hasConnected || error._tag !== "Unreachable"),
        retry
      ),
      Effect.catchIf(
        (error) => isOfAnotherLog(error) && lastId !== null,
        () => beginAnew
      )
    )
  }
})

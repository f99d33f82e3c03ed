/** Reads a message as it arrives: its text into memory, a long `data` into a file. */
import { Effect, type FileSystem, type PlatformError, type Scope, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Bytes from "#src/kernel/text/Bytes.ts"
import { BodyTimeout, unreadable } from "#src/edges/http/edge/BodyReader.ts"
import { bodyTimeout, type ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import type { SpooledText } from "../SpooledText.ts"
import * as Limits from "./MessageLimits.ts"
import * as MessageErrorAnswers from "./MessageErrorAnswers.ts"
import * as MessageScan from "./MessageScan.ts"
import * as SpoolFile from "./SpoolFile.ts"

export interface LongMessage {
  /** The body without the long text. */
  readonly body: Uint8Array
  /** By the handle that replaces the text in the body. */
  readonly spooled: ReadonlyMap<string, SpooledText>
}

interface State {
  /** Bytes of the body so far. */
  received: number
  data: SpoolFile.SpoolFile | null
  isInData: boolean
  /** The path of the file. */
  path: string | null
  /** Waits for a permit to use disk space. Nothing is read meanwhile. */
  isWaiting: boolean
  /** Whether the message has waited within the client's current time limit. */
  hasWaited: boolean
}

type Failure = ErrorAnswer | PlatformError.PlatformError

/** @param place returns the path of the message's only file, once there is a permit for it. */
export const read = Effect.fnUntraced(function* (
  request: HttpServerRequest,
  place: Effect.Effect<string, Failure>
): Effect.fn.Return<LongMessage, Failure, FileSystem.FileSystem | Scope.Scope> {
  const text = Bytes.make()
  const state: State = {
    received: 0,
    data: null,
    isInData: false,
    path: null,
    isWaiting: false,
    hasWaited: false
  }
  let isGivenTwice = false

  /** Called with the first bytes of a long `data`. */
  const begin = (): SpoolFile.SpoolFile => {
    isGivenTwice = state.data !== null
    state.isInData = true
    const data = SpoolFile.make()
    text.add(Buffer.from(data.handle))
    return data
  }

  const push = MessageScan.make(
    {
      onText: text.add,
      onLong: (raw) => {
        const data = state.isInData ? state.data : null
        state.data = data ?? begin()
        state.data.add(raw)
      },
      onLongEnd: () => {
        state.data?.end()
        state.isInData = false
      }
    },
    { text: Limits.longText, parts: Limits.mostParts }
  )

  const errorAnswerOf = (chunk: Uint8Array): ErrorAnswer | null => {
    state.received += chunk.length
    if (state.received > Limits.maxBytes) return MessageErrorAnswers.tooLarge
    const fault = push(chunk)
    if (fault !== null) return MessageErrorAnswers.faults[fault]
    if (isGivenTwice) return MessageErrorAnswers.givenTwice
    const spoolFault = state.data?.fault() ?? null
    if (spoolFault !== null) return MessageErrorAnswers.faults[spoolFault]
    return text.size() > Limits.maxTextBytes ? MessageErrorAnswers.tooLarge : null
  }

  const enter = Effect.gen(function* () {
    state.isWaiting = state.hasWaited = true
    const path = yield* place
    state.isWaiting = false
    state.path = path
    return path
  })

  const take = (chunk: Uint8Array) =>
    Effect.gen(function* () {
      const errorAnswer = errorAnswerOf(chunk)
      if (errorAnswer !== null) return yield* errorAnswer
      if (state.data !== null) yield* state.data.flush(state.path ?? (yield* enter))
    })

  /** The client is not slow while this server does not read. */
  const slowness = Effect.gen(function* () {
    const duration = yield* BodyTimeout
    while (true) {
      const before = state.received
      state.hasWaited = state.isWaiting
      yield* Effect.sleep(duration)
      const isSlow = state.data === null || state.received - before < Limits.leastBytes
      if (isSlow && !state.hasWaited) return yield* bodyTimeout
    }
  })

  yield* Stream.mapError(request.stream, () => unreadable).pipe(
    Stream.runForEach(take),
    Effect.raceFirst(slowness),
    Effect.timeoutOrElse({ duration: Limits.longestBody, orElse: () => Effect.fail(bodyTimeout) })
  )
  const { data, path } = state
  const spooled = new Map<string, SpooledText>()
  if (data !== null && path !== null) spooled.set(data.handle, { path, size: data.size() })
  return { body: text.whole(), spooled }
})

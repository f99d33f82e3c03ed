/** A message as it comes: its text in memory, long `data` in a file. */
import { Effect, type FileSystem, type PlatformError, type Scope, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Bytes from "#src/kernel/text/Bytes.ts"
import { BodyTimeout, unreadable } from "#src/edges/http/edge/BodyReader.ts"
import { bodyTimeout, type Refusal } from "#src/edges/http/Refusal.ts"
import type { SpooledText } from "../SpooledText.ts"
import * as Limits from "./MessageLimits.ts"
import * as MessageRefusals from "./MessageRefusals.ts"
import * as MessageScan from "./MessageScan.ts"
import * as SpoolFile from "./SpoolFile.ts"

export interface LongMessage {
  /** What is left of the body. */
  readonly body: Uint8Array
  /** By the handle that stands in it. */
  readonly spooled: ReadonlyMap<string, SpooledText>
}

interface State {
  /** Bytes of the body. */
  received: number
  data: SpoolFile.SpoolFile | null
  isInData: boolean
  /** Of its file. */
  path: string | null
  /** For room on disk: nothing is read meanwhile. */
  isWaiting: boolean
  /** In the time that the client has for its next bytes. */
  hasWaited: boolean
}

type Failure = Refusal | PlatformError.PlatformError

/** @param place gives the path for the one file that there may be, as soon as there is room for it. */
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

  /** The first bytes of `data` that is long. */
  const begin = (): SpoolFile.SpoolFile => {
    isGivenTwice = state.data !== null
    state.isInData = true
    const data = SpoolFile.make()
    text.add(Buffer.from(data.handle))
    return data
  }

  const scan = MessageScan.make(
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

  const refusalOf = (chunk: Uint8Array): Refusal | null => {
    state.received += chunk.length
    if (state.received > Limits.maxBytes) return MessageRefusals.tooLarge
    const fault = scan.push(chunk)
    if (fault !== null) return MessageRefusals.faults[fault]
    if (isGivenTwice) return MessageRefusals.givenTwice
    const spoolFault = state.data?.fault() ?? null
    if (spoolFault !== null) return MessageRefusals.faults[spoolFault]
    return text.size() > Limits.maxTextBytes ? MessageRefusals.tooLarge : null
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
      const refusal = refusalOf(chunk)
      if (refusal !== null) return yield* refusal
      if (state.data !== null) yield* state.data.flush(state.path ?? (yield* enter))
    })

  /** While we do not read it is not the client who is slow. */
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

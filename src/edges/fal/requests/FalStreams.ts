/** `fal.queue.streamStatus` and `fal.stream`: server-sent events without names, whose data are JSON. */
import { Deferred, Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { isTerminal } from "#domain/inference-request/State.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { LiveOutput, type OutputReader } from "#src/features/live-output/LiveOutput.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as PayloadText from "#streams/PayloadText.ts"
import type * as Answer from "#src/edges/http/Answer.ts"
import type * as Route from "#src/edges/http/api/Route.ts"
import type { EventStream } from "#src/edges/http/edge/EventStream.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import type { OfRequest } from "../Target.ts"
import * as FalEnds from "./FalEnds.ts"
import * as FalRequest from "./FalRequest.ts"
import * as FalStatus from "./FalStatus.ts"
import * as FalSubmit from "./FalSubmit.ts"
import { FalWaits } from "./FalWaits.ts"

interface Call {
  readonly request: HttpServerRequest
  readonly headers: Answer.Headers
}

/** JSON contains no line breaks, so it is one line of data. */
const frame = (json: string): string => `data: ${json}\n\n`

/** How long to wait for a change before reading the request again, ms. */
const lookMs = 60_000

/** Not JSON, so that the client's `done()` throws instead of returning the event before: its protocol has no other way. */
const failed = frame("The request failed.")

const cut: FalEnds.Failure = {
  status: 500,
  message:
    "The stream was cut off, and the request goes on: read its result with fal.queue.result and the requestId of the stream.",
  type: "stream_cut_off"
}

const cutOff = frame(JSON.stringify(FalEnds.bodyOf(cut))) + frame("The stream was cut.")

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const streams = yield* EventStreams
  const live = yield* LiveOutput
  const { queueUrl } = yield* PublicUrls
  const submitting = yield* FalSubmit.make
  const { firstEventMs } = yield* FalWaits

  /** Each log line is sent once, because the client collects them. */
  const sendStatus = Effect.fnUntraced(function* (stream: EventStream, found: Snapshot, withLogs: boolean) {
    let shown = found
    let sent = ""
    let told: ReadonlyArray<string> = []
    while (true) {
      const { logs, phase } = shown.request
      const text = JSON.stringify(
        FalStatus.of(queueUrl, shown, withLogs ? FalStatus.newLines(told, logs) : [])
      )
      // A change that the client cannot see is not sent.
      if (text !== sent) stream.write(frame(text))
      sent = text
      told = logs
      if (isTerminal(phase)) return
      yield* stream.ready
      shown = yield* requests.waitUntil(shown, ({ version }) => version !== shown.version, lookMs)
    }
  })

  const followStatus = (
    { headers, request }: Call,
    caller: Caller,
    target: OfRequest & { readonly logs: boolean }
  ) =>
    Effect.flatMap(FalRequest.find(requests, caller, target), (found) =>
      streams.serve(
        { caller, request, headers: { ...headers, [FalEnds.requestIdHeader]: found.id } },
        (stream) => sendStatus(stream, found, target.logs)
      )
    )

  /** The request when it has ended without a chunk; `null` as soon as there is one, or after a while. */
  const beforeFirst = (accepted: Snapshot) =>
    Effect.gen(function* () {
      const first = yield* Deferred.make<null>()
      const reader: OutputReader = {
        chunk: () => {
          Deferred.doneUnsafe(first, Effect.succeed(null))
          return false
        },
        restart: () => {},
        progress: () => {},
        ready: Effect.never
      }
      return yield* Effect.raceFirst(
        Deferred.await(first),
        live.follow({ snapshot: accepted, after: null, reader })
      ).pipe(Effect.timeoutOrElse({ duration: firstEventMs, orElse: () => Effect.succeed(null) }))
    })

  /** Chunks, then the whole output unless the last chunk was it, so that the client's `done()` returns the output. */
  const sendOutput = Effect.fnUntraced(function* (stream: EventStream, accepted: Snapshot) {
    let last = ""
    const ended = yield* live.follow({
      snapshot: accepted,
      after: null,
      reader: {
        chunk: ({ text }) => {
          last = text
          return stream.write(frame(text))
        },
        restart: () => {},
        progress: () => {},
        ready: stream.ready
      }
    })
    const failure = ended.request.isCut === true ? FalEnds.cancelled : FalEnds.failureOf(ended)
    if (failure !== null) {
      stream.write(frame(JSON.stringify(FalEnds.bodyOf(failure))) + failed)
      return
    }
    const output = yield* Effect.flatMap(FalRequest.outputOf(requests, ended), PayloadText.whole)
    // A line end would begin another field.
    const line = JsonText.oneLine(output)
    if (line !== last) stream.write(frame(line))
  })

  const sayCut = (stream: EventStream, error: unknown) =>
    Effect.andThen(
      Effect.logError("A stream broke off", error),
      Effect.sync(() => void stream.write(cutOff))
    )

  const followOutput = (call: Call, { caller, ...rest }: FalSubmit.Submitting) =>
    submitting.whileConnected({ caller, ...rest }, (accepted) =>
      Effect.flatMap(beforeFirst(accepted), (ended): Route.Reply => {
        const failure = ended === null ? null : FalEnds.failureOf(ended)
        if (failure !== null) return Effect.succeed(FalEnds.answerOf(accepted.id, failure))
        const headers = { ...call.headers, [FalEnds.requestIdHeader]: accepted.id }
        let isEndedHere = false
        const lastWords = () => {
          isEndedHere = true
          return cutOff
        }
        const opened = streams.serve({ caller, request: call.request, headers, lastWords }, (stream) =>
          sendOutput(stream, accepted).pipe(
            Effect.catch((error) => sayCut(stream, error)),
            Effect.onInterrupt(() =>
              isEndedHere ? Effect.void : submitting.cancelLeft({ caller, ...rest }, accepted)
            )
          )
        )
        // For a status such as 429 the client would submit again.
        return Effect.catch(opened, () => Effect.succeed(FalSubmit.stillRunning(accepted)))
      })
    )

  return { followStatus, followOutput }
})

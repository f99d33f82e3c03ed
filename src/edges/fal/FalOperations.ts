/** Serves each operation of fal's client. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type * as Answer from "#src/edges/http/Answer.ts"
import type * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as FalUploads from "./files/FalUploads.ts"
import * as FalQueue from "./requests/FalQueue.ts"
import * as FalStreams from "./requests/FalStreams.ts"
import * as Target from "./Target.ts"

interface Call {
  readonly request: HttpServerRequest
  readonly headers: Answer.Headers
}

const noTokens = Effect.fail(
  ErrorAnswer.coded(
    501,
    "REALTIME_UNSUPPORTED",
    'Realtime connections and connectionMode "client" are not supported: use fal.stream with connectionMode "server".'
  )
)

/** To stream from a model whose own name is `stream`, the client calls the address of a run, and accepts JSON beside events. */
const wantsEvents = ({ headers }: HttpServerRequest): boolean =>
  headers["accept"]?.includes("text/event-stream") === true

/** @param method of the route. */
export const serve = (method: Target.Method) =>
  Effect.gen(function* () {
    const queue = yield* FalQueue.make
    const streams = yield* FalStreams.make
    const uploads = yield* FalUploads.make

    const operate = (target: Target.Target, call: Call, caller: Caller): Route.Reply => {
      const { request } = call
      switch (target._tag) {
        case "Run":
        case "Stream": {
          const submitting = { caller, endpoint: target.endpoint, request, webhook: null }
          return target._tag === "Stream" || wantsEvents(request)
            ? streams.followOutput(call, submitting)
            : queue.run(submitting)
        }
        case "Submit":
          return queue.submit({ caller, endpoint: target.endpoint, request, webhook: target.webhook })
        case "Status":
          return queue.status(caller, target)
        case "StatusStream":
          return streams.followStatus(call, caller, target)
        case "Result":
          return queue.result(caller, target)
        case "Cancel":
          return queue.cancel(caller, target)
        case "InitiateUpload":
          return uploads.initiate(caller, request)
        case "InitiateMultipart":
          return uploads.initiateInParts(caller, request)
        case "Token":
          return noTokens
      }
    }

    return (call: Call, caller: Caller): Route.Reply =>
      Effect.flatMapEager(
        Effect.fromResult(Target.parse(call.request.headers[Target.header], method)),
        (target) => operate(target, call, caller)
      )
  })

/** `GET /{owner}/{model}/requests/{id}`: the output, or why there is none (decisions, "Failure views"). */
import { Effect } from "effect"
import { Requests } from "#src/requests/Requests.ts"
import * as Answer from "../Answer.ts"
import * as Refusal from "../Refusal.ts"
import * as ResultView from "../views/ResultView.ts"
import * as Payloads from "./Payloads.ts"
import * as RequestCall from "./RequestCall.ts"

const refuse = (code: string, error: string): Refusal.Refusal =>
  new Refusal.Refusal({ status: 400, error, details: { code } })

const notCompleted = refuse("REQUEST_NOT_COMPLETED", "The request has not completed yet.")
const cancelled = refuse("REQUEST_CANCELLED", "The request was cancelled.")

export const make = Effect.gen(function* () {
  const requests = yield* Requests

  return Effect.fnUntraced(function* (call: RequestCall.RequestCall) {
    const snapshot = yield* RequestCall.find(requests, call)
    const { phase } = snapshot.request
    switch (phase._tag) {
      case "Queued":
      case "Dispatched":
      case "Running":
      case "Finalizing":
        return yield* notCompleted
      case "Failed":
        return yield* refuse("REQUEST_FAILED", phase.message)
      case "Cancelled":
        return yield* cancelled
      case "Completed": {
        const payloads = yield* Payloads.read(requests, snapshot)
        const withoutOutput = ResultView.withoutOutput(snapshot, payloads)
        return withoutOutput === null
          ? Answer.json(200, ResultView.result(snapshot, payloads))
          : Answer.json(422, withoutOutput)
      }
    }
  })
})

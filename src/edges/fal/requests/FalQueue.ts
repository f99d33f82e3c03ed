/** `fal.run` and the operations of `fal.queue` that answer at once. */
import { Effect } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as Accepting from "#src/edges/api/requests/Accepting.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import type { OfRequest } from "../Target.ts"
import * as FalEnds from "./FalEnds.ts"
import * as FalRequest from "./FalRequest.ts"
import * as FalStatus from "./FalStatus.ts"
import * as FalSubmit from "./FalSubmit.ts"

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const { queueUrl } = yield* PublicUrls
  const submitting = yield* FalSubmit.make

  const run = (call: FalSubmit.Submitting) =>
    submitting.whileConnected(call, (accepted) =>
      Effect.flatMap(submitting.ended(accepted), (latest) =>
        Accepting.isEnded(latest)
          ? FalRequest.result(requests, latest)
          : Effect.succeed(FalSubmit.stillRunning(latest))
      )
    )

  const status = (caller: Caller, target: OfRequest & { readonly logs: boolean }) =>
    Effect.mapEager(FalRequest.find(requests, caller, target), (snapshot) => {
      const body = FalStatus.of(queueUrl, snapshot, target.logs ? snapshot.request.logs : [])
      return Answer.json(FalStatus.codeOf(body), body, { [FalEnds.requestIdHeader]: snapshot.id })
    })

  const result = (caller: Caller, target: OfRequest) =>
    Effect.flatMapEager(FalRequest.find(requests, caller, target), (snapshot) =>
      FalRequest.result(requests, snapshot)
    )

  const cancel = Effect.fnUntraced(function* (caller: Caller, target: OfRequest) {
    const { id, request } = yield* FalRequest.find(requests, caller, target)
    const endpoint = request.submitted.model
    const { cancel } = yield* requests.cancel({ caller, id, endpoint })
    const headers = { [FalEnds.requestIdHeader]: id }
    const said = { detail: cancel.reason, message: cancel.reason }
    return cancel.accepted
      ? Answer.json(202, { status: "CANCELLATION_REQUESTED", ...said }, headers)
      : Answer.json(400, { status: "ALREADY_COMPLETED", ...said }, headers)
  })

  return { run, submit: submitting.submit, status, result, cancel }
})

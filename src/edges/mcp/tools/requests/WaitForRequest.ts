/** `wait_for_request`: waits for the end of a request (contract, "Assistant-tool server") without polling. */
import { Clock, Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import * as Key from "#domain/account/Key.ts"
import { keyOf } from "#domain/account/State.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Stopping } from "#src/edges/http/Stopping.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import { granted, ToolCaller } from "../../ToolCaller.ts"
import { ToolError } from "../../ToolError.ts"
import * as Arguments from "../Arguments.ts"
import * as Progress from "../Progress.ts"
import * as ServiceToolErrors from "../ServiceToolErrors.ts"
import * as ToolTraits from "../ToolTraits.ts"
import * as Reports from "./Reports.ts"
import * as RequestReport from "./RequestReport.ts"
import * as WaitMessage from "./WaitMessage.ts"

const usualSeconds = 120
const mostSeconds = 600
const usualIntervalSeconds = 2

const secondsBetween = (minimum: number, maximum: number) =>
  Schema.Finite.check(Schema.isBetween({ minimum, maximum }))

export const tool = Tool.make("wait_for_request", {
  description:
    "Waits until a request has ended and answers like get_request. After timeoutSeconds it reports that the request is still running: then call it again, as often as needed. The request continues in any case, even if this call is interrupted.",
  parameters: Schema.Struct({
    requestId: RequestReport.requestId,
    timeoutSeconds: Arguments.optional(
      secondsBetween(0, mostSeconds).annotate({
        description:
          "The longest wait in seconds, 0 (a single check) to 600. If your client stops waiting for a call after a minute, use 50.",
        default: usualSeconds,
        examples: [50]
      })
    ),
    pollIntervalSeconds: Arguments.optional(
      secondsBetween(0.1, 60).annotate({
        description:
          "The interval of progress notifications in seconds, 0.1 to 60, for clients that request progress. The end is always reported at once.",
        default: usualIntervalSeconds
      })
    ),
    maxOutputBytes: RequestReport.maxOutputBytes
  }),
  success: RequestReport.RequestReport,
  failure: ToolError,
  dependencies: [ToolCaller]
})
  .annotate(Tool.Title, "Wait for a request")
  .annotateMerge(ToolTraits.reading)

const isEnded = ({ request }: Snapshot): boolean => isTerminal(request.phase)

const signedOut = ServiceToolErrors.toolError(
  "The API key of this assistant's sign-in was revoked or has expired. Calling again will not help: ask the user to sign in again."
)

export const make = Effect.gen(function* () {
  const requests = yield* Requests
  const accounts = yield* AccountActors
  const stopping = yield* Stopping
  const { find, report } = yield* Reports.make
  const progress = yield* Progress.make
  const tell = yield* WaitMessage.make

  /** A call may wait for ten minutes, so its key is checked again before the answer. */
  const checkKey = Effect.fnUntraced(function* ({ accountId, keyId }: Caller) {
    const { state } = yield* Effect.mapError(accounts.current(accountId), ServiceToolErrors.toErrorAnswer)
    const key = keyOf(state, keyId)
    if (key === undefined || !Key.isValid(key, yield* Clock.currentTimeMillis)) return yield* signedOut
  })

  const wait = (found: Snapshot, timeoutMs: number, everyMs: number) =>
    Effect.suspend(() => {
      let newest = found
      const until = (snapshot: Snapshot) => {
        newest = snapshot
        return isEnded(snapshot)
      }
      const woken = Effect.mapError(
        requests.waitUntil(found, until, timeoutMs),
        ServiceToolErrors.toErrorAnswer
      )
      const stopped = Effect.map(stopping, () => newest)
      const message = Effect.suspend(() => tell.progress(newest))
      return progress(Effect.raceFirst(woken, stopped), { everyMs, totalMs: timeoutMs, message })
    })

  return Effect.fn("WaitForRequest.call")(function* ({
    maxOutputBytes,
    pollIntervalSeconds = usualIntervalSeconds,
    requestId,
    timeoutSeconds = usualSeconds
  }: Tool.Parameters<typeof tool>) {
    const caller = yield* granted("requests:read")
    const begun = yield* MonotonicTime.millis
    const found = yield* find(caller, requestId)
    const last = yield* wait(found, timeoutSeconds * 1_000, pollIntervalSeconds * 1_000)
    yield* checkKey(caller)
    const answer = yield* report(last, maxOutputBytes === undefined ? {} : { maxOutputBytes })
    if (isEnded(last)) return answer
    const waitedMs = (yield* MonotonicTime.millis) - begun
    return { ...answer, message: yield* tell.stillRunning(last, waitedMs) }
  })
})

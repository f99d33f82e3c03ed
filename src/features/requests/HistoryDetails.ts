/** Adds payloads and bills to a page of requests. They are read from the requests' own streams. */
import { Effect, Schema } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { isTerminal, type Request, type State } from "#domain/inference-request/State.ts"
import { outcome } from "#domain/inference-request/Status.ts"
import * as KeyedPermits from "#src/kernel/limits/KeyedPermits.ts"
import { RequestActors } from "./RequestActors.ts"
import type { Bill, Expansion, ListedRequest } from "./ListedRequest.ts"
import { Requests, type Snapshot } from "./Requests.ts"

/** Bytes of input and output in one page, as canonical JSON. */
export const mostPayloadBytes = 16 * 1024 * 1024

/** There was no permit in time to read a page with payloads. */
export class TooManyExpanded extends Schema.TaggedError<TooManyExpanded>()("TooManyExpanded", {}) {}

/** Pages with payloads that are read at once: each takes several times its bytes in memory. */
export const mostExpanded = 2

const noPermit = Effect.fail(new TooManyExpanded())

/** Requests of a page that are read at once. */
const concurrency = 16

/** A request as its list tells it, and as its stream has it. */
interface Found {
  readonly listed: Snapshot
  readonly request: Request
}

export const make = Effect.gen(function* () {
  const actors = yield* RequestActors
  const requests = yield* Requests
  const permits = KeyedPermits.make({ total: mostExpanded, perKey: 1, patience: "10 seconds" })

  /** At least as new as its list is, which another node's events may have reached first. */
  const find = Effect.fnUntraced(function* (listed: Snapshot) {
    const known = yield* actors.current(listed.id)
    const { state } = isOlder(known.state, listed) ? yield* actors.refresh(listed.id) : known
    return state._tag === "Request"
      ? { listed, request: state }
      : yield* Effect.die("A request of the history is not on the log")
  })

  const payloadsOf = ({ listed, request }: Found) =>
    requests
      .payloadTexts({ ...listed, request: { ...request, output: shownOutput({ listed, request }) } })
      // As in `GET /requests/{id}`: corrupt storage.
      .pipe(Effect.catchTag("PayloadUnavailable", Effect.die))

  return Effect.fnUntraced(function* (
    accountId: AccountId,
    listed: ReadonlyArray<Snapshot>,
    expand: ReadonlySet<Expansion>
  ) {
    if (expand.has("payloads")) yield* permits.take(accountId, noPermit)
    const found = yield* Effect.forEach(listed, find, { concurrency })
    const fitting = expand.has("payloads") ? fit(found) : null
    return yield* Effect.forEach(
      found,
      Effect.fnUntraced(function* (one: Found) {
        const isIn = fitting?.has(one)
        return {
          snapshot: one.listed,
          payloads: isIn === undefined ? null : isIn ? yield* payloadsOf(one) : "omitted",
          bill: expand.has("billing") ? billOf(one) : null
        } satisfies ListedRequest
      }),
      { concurrency }
    )
  })
})

const isOlder = (state: State, { request }: Snapshot): boolean =>
  state._tag === "NotSubmitted" || (isTerminal(request.phase) && !isTerminal(state.phase))

/** Those whose payloads are in the page: each, in its order, that what is left has room for. */
const fit = (found: ReadonlyArray<Found>): ReadonlySet<Found> => {
  let left = mostPayloadBytes
  return new Set(
    found.filter((one) => {
      const bytes = bytesOf(one)
      if (bytes > left) return false
      left -= bytes
      return true
    })
  )
}

/** What was erased takes no room. */
const bytesOf = (found: Found): number =>
  found.request.erasure === null
    ? found.request.submitted.payloads.input.size + (shownOutput(found)?.ref.size ?? 0)
    : 0

/** An output that breaks its schema is not handed out: nor is it read. */
const shownOutput = ({ listed, request }: Found): Request["output"] => {
  const word = outcome(listed.request)
  return word === "succeeded" || word === "partial" ? request.output : null
}

const billOf = ({ listed, request: { phase, submitted } }: Found): Bill => ({
  quote: submitted.quote,
  billed: listed.request.phase._tag === "Completed" && phase._tag === "Completed" ? phase.billing : null
})

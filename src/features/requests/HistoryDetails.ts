/** Adds payloads and bills to a page of requests. They are read from the requests' own streams. */
import { Effect, Schema } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { isTerminal, type Request, type State } from "#domain/inference-request/State.ts"
import { outcome } from "#domain/inference-request/Status.ts"
import * as KeyedPermits from "#src/kernel/limits/KeyedPermits.ts"
import { RequestActors } from "./RequestActors.ts"
import type { Bill, Expansion, ListedRequest } from "./ListedRequest.ts"
import { Requests, type Snapshot } from "./Requests.ts"

/** Bytes of input and output in one page, as JSON. */
export const mostPayloadBytes = 16 * 1024 * 1024

/** No permit to read a page with payloads became free in time. */
export class TooManyExpanded extends Schema.TaggedError<TooManyExpanded>()("TooManyExpanded", {}) {}

/** Pages with payloads read at the same time. Each takes several times its bytes in memory. */
export const mostExpanded = 2

const noPermit = Effect.fail(new TooManyExpanded())

/** Requests of a page read at the same time. */
const concurrency = 16

/** A request from the list and from its stream. */
interface Found {
  readonly listed: Snapshot
  readonly request: Request
}

export const make = Effect.gen(function* () {
  const actors = yield* RequestActors
  const requests = yield* Requests
  const permits = KeyedPermits.make({ total: mostExpanded, perKey: 1, patience: "10 seconds" })

  /** At least as new as the list, which another node's events may have reached first. */
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

/** The requests whose payloads fit into the page, in the order of the page. */
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

/** Erased payloads take no room. */
const bytesOf = (found: Found): number =>
  found.request.erasure === null
    ? found.request.submitted.payloads.input.size + (shownOutput(found)?.ref.size ?? 0)
    : 0

/** An output that breaks its schema is neither shown nor read. */
const shownOutput = ({ listed, request }: Found): Request["output"] => {
  const word = outcome(listed.request)
  return word === "succeeded" || word === "partial" ? request.output : null
}

const billOf = ({ listed, request: { phase, submitted } }: Found): Bill => ({
  quote: submitted.quote,
  billed: listed.request.phase._tag === "Completed" && phase._tag === "Completed" ? phase.billing : null
})

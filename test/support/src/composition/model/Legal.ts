/** The possible fates of a request, given its client's calls and its provider's behaviour. */
import { assert } from "@effect/vitest"
import type { RequestId } from "#domain/Ids.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import * as SweepSchedule from "#domain/inference-request/SweepSchedule.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as Offers from "./Offers.ts"
import type { ObservedRun, Told } from "./Runs.ts"

export interface Life {
  readonly id: RequestId
  readonly events: ReadonlyArray<Event>
  readonly runs: ReadonlyArray<ObservedRun>
  readonly told: ReadonlyArray<Told>
  /** `null` if no run began, so that it is unknown. */
  readonly order: Offers.Order | null
  readonly isCancelAsked: boolean
  /** For nodes. */
  readonly isAlive: (name: string) => boolean
}

const afterTheEnd: ReadonlySet<Event["_tag"]> = new Set([
  "LateOutcomeIgnored",
  "PayloadsErased",
  "ErasedFilesRemoved"
])

/** Ends of a run after which its request is completed and not billed. */
const unbilled: ReadonlySet<Offers.End> = new Set(["model failed", "invalid", "bad file"])

const isOnce = (values: ReadonlyArray<unknown>) => new Set(values).size === values.length

const attemptsOf = (
  events: ReadonlyArray<Event>,
  tag: "DispatchStarted" | "LateOutcomeIgnored" | "RequestStarted"
) => Facts.ofType(events, tag).map(({ attempt }) => attempt)

const checkOrder = ({ events, id }: Life) => {
  const ends = Facts.terminal(events)
  assert.lengthOf(ends, 1, `${id} has so many ends`)
  const [end] = ends
  if (end === undefined) return
  for (const { _tag } of events.slice(events.indexOf(end) + 1))
    assert.isTrue(afterTheEnd.has(_tag), `${id}: ${_tag} after ${end._tag}`)
  const late = attemptsOf(events, "LateOutcomeIgnored")
  assert.isTrue(isOnce(late), `${id}: a late outcome is recorded twice: ${late}`)
  const attempts = attemptsOf(events, "DispatchStarted")
  assert.deepStrictEqual(
    attempts,
    attempts.map((_, index) => index + 1),
    `${id}: its runs`
  )
  assert.isTrue(isOnce(attemptsOf(events, "RequestStarted")), `${id}: a run starts twice`)
  const cancelled = events.findIndex(({ _tag }) => _tag === "CancelRequested")
  if (cancelled !== -1)
    assert.lengthOf(
      attemptsOf(events.slice(cancelled), "DispatchStarted"),
      0,
      `${id} is run after its cancel`
    )
}

/** Every run was claimed, no run began twice, and a request that ended before its claim never ran. */
const checkRuns = ({ events, id, runs }: Life) => {
  const claimed = new Set(attemptsOf(events, "DispatchStarted"))
  for (const { attempt } of runs)
    assert.isTrue(claimed.has(attempt), `${id}: run ${attempt} is on nobody's claim`)
  const begun = runs.filter(({ run }) => run.jobId === null).map(({ attempt }) => attempt)
  assert.isTrue(isOnce(begun), `${id}: a run began twice: ${begun}`)
  const accepted = new Set(Facts.ofType(events, "ProviderAccepted").map(({ attempt }) => attempt))
  for (const { attempt, run } of runs)
    if (run.jobId !== null) assert.isTrue(accepted.has(attempt), `${id}: followed without a job`)
}

const checkCompleted = (
  { events, id, order, told }: Life,
  { attempt, billing, error }: Extract<Event, { readonly _tag: "RequestCompleted" }>
) => {
  assert.isNotNull(order)
  if (order === null) return
  const ends = told.filter((one) => one.attempt === attempt).map(({ end }) => end)
  const received = Facts.ofType(events, "OutputReceived").filter((event) => event.attempt === attempt)
  if (billing.status === "failed") {
    assert.strictEqual(billing.amount, 0n, `${id} is charged for nothing`)
    const isRight = ends.some((end) => unbilled.has(end) || isNothing(end, order))
    assert.isTrue(isRight, `${id} failed (${error}) although its run ended in ${ends}`)
    return
  }
  assert.lengthOf(received, 1, `${id} is charged without an output`)
  const delivered = Number(received[0]?.delivered ?? 0n) / 1_000_000
  assert.isTrue(
    ends.some((end) => !unbilled.has(end) && Offers.deliveredBy(end, order) === delivered),
    `${id} is charged for ${delivered} although its run ended in ${ends}`
  )
  assert.strictEqual(billing.amount, Offers.costOf(order, delivered), `${id}: its price`)
  const isShort = order.offer !== "measured" && delivered < Offers.unitsOf(order)
  assert.strictEqual(billing.status, isShort ? "partial" : "charged", `${id}: its bill`)
}

const isNothing = (end: Offers.End, order: Offers.Order) =>
  order.offer !== "measured" && Offers.deliveredBy(end, order) === 0

const checkFailed = (
  { events, id, order, runs, told }: Life,
  { attempt, reason }: Extract<Event, { readonly _tag: "RequestFailed" }>
) => {
  const requeues = Facts.ofType(events, "RequestRequeued")
  const requeued = requeues.filter((event) => event.reason === reason).length
  switch (reason) {
    case "refused": {
      const isTold = told.some((one) => one.attempt === attempt && one.end === "refused")
      // It took too long, without a reported end.
      const isSlow = runs.some((run) => run.attempt === attempt && order !== null)
      return assert.isTrue(isTold || isSlow, `${id} was refused by nobody`)
    }
    case "media_missing": {
      const isTold = told.some((one) => one.attempt === attempt && one.end === "missing file")
      return assert.isTrue(isTold, `${id} names no file that is missing`)
    }
    case "transport_error":
      return assert.strictEqual(requeued, 5, `${id} was tried again so often`)
    case "lost":
      // Lost too often, or running at three crashes in a row, of which the third ends it.
      return assert.isTrue(requeued === 20 || requeues.at(-1)?.crashes === 2, `${id} was run again so often`)
  }
}

const checkEnd = (life: Life) => {
  const { events, id, isCancelAsked } = life
  const [submitted] = Facts.ofType(events, "RequestSubmitted")
  for (const event of Facts.terminal(events)) {
    switch (event._tag) {
      case "RequestCompleted":
        checkCompleted(life, event)
        break
      case "RequestFailed":
        checkFailed(life, event)
        break
      case "RequestForceFailed":
        assert.isAtLeast(Facts.ofType(events, "SweepRetried").length, 5, `${id} was given up early`)
        assert.isAbove(event.at - (submitted?.at ?? 0), SweepSchedule.ageBeforeForceFail)
        break
      case "RequestCancelled": {
        const { endBy, startBy } = submitted?.deadlines ?? {}
        if (event.reason === "requested") assert.isTrue(isCancelAsked, `${id} is cancelled, nobody asked`)
        else
          assert.isAtLeast(event.at, Math.min(startBy ?? Infinity, endBy ?? Infinity), `${id} expired early`)
      }
    }
  }
}

/** The claim in progress when the request ended for another reason than its run. */
const overtaken = (events: ReadonlyArray<Event>) => {
  const end = events.find(
    ({ _tag, ...event }) =>
      _tag === "RequestForceFailed" ||
      (_tag === "RequestCancelled" && "reason" in event && event.reason === "expired")
  )
  const before = end === undefined ? [] : events.slice(0, events.indexOf(end))
  const claim = Facts.ofType(before, "DispatchStarted").at(-1)
  const since = claim === undefined ? [] : before.slice(before.indexOf(claim))
  const isOver = since.some(({ _tag }) =>
    ["RequestRequeued", "SweepRetried", "OutputReceived"].includes(_tag)
  )
  return isOver ? undefined : claim
}

/** A node that still had the run reports it once after the request's end. */
const checkLate = ({ events, id, isAlive, runs }: Life) => {
  const claim = overtaken(events)
  const isKept = runs.some(
    ({ attempt, node }) => attempt === claim?.attempt && node === claim.node && isAlive(node)
  )
  if (claim === undefined || !isKept) return
  const late = attemptsOf(events, "LateOutcomeIgnored").filter((attempt) => attempt === claim.attempt)
  assert.lengthOf(late, 1, `${id}: the late outcome of run ${claim.attempt}`)
}

export const check = (life: Life): void => {
  checkLate(life)
  checkOrder(life)
  checkRuns(life)
  checkEnd(life)
}

/** What an audit tracks of an open request, and the checks of its end. Ended requests are forgotten. */
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { Ending } from "#domain/inference-request/Ending.ts"
import type { BillingStatus, Event } from "#domain/inference-request/Event.ts"
import * as SweepSchedule from "#domain/inference-request/SweepSchedule.ts"
import type { Quantity } from "#domain/Money.ts"
import * as Pricing from "#domain/Pricing.ts"
import * as MoneyEvents from "#projections/ledger/MoneyEvents.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as AuditFields from "./AuditFields.ts"
import { usd } from "./Books.ts"
import { brokenBy } from "./Invariant.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"

export interface OpenRequest {
  readonly accountId: AccountId
  readonly keyId: KeyId
  readonly model: string
  readonly quote: Pricing.Quote
  /** Unix time in ms. */
  readonly submittedAt: number
  output: AuditFields.Output | null
  isRejected: boolean
  /** Whether the files of its output are stored. */
  isStored: boolean
  sweepRetries: number
}

/** For a `RequestSubmitted`. */
export const open = (event: RecordedEvent, accountId: AccountId): OpenRequest => {
  const quote = AuditFields.read(event, AuditFields.quote)
  const { hold, maxQuantity, minimumCharge, quantity, unitPrice } = quote
  const amounts = [unitPrice, minimumCharge, quantity ?? 0n, maxQuantity, hold]
  if (amounts.some((amount) => amount < 0n)) {
    throw brokenBy(event, "hold as quoted", "an amount of its quote is negative")
  }
  const expected = Pricing.holdOf(quote)
  if (hold !== expected) {
    throw brokenBy(event, "hold as quoted", `${usd(hold)} is held, the quote says ${usd(expected)}`)
  }
  return {
    accountId,
    keyId: AuditFields.read(event, MoneyEvents.keyOf),
    model: AuditFields.read(event, AuditFields.model),
    quote,
    submittedAt: WallTime.steadyOf(event),
    output: null,
    isRejected: false,
    isStored: false,
    sweepRetries: 0
  }
}

/** Applies an event that does not end the request. */
export const pass = (
  request: OpenRequest,
  event: RecordedEvent,
  type: Exclude<Event["_tag"], Ending["_tag"]>
): void => {
  switch (type) {
    case "OutputReceived":
      request.output = AuditFields.read(event, AuditFields.output)
      return
    case "OutputRejected":
      request.isRejected = true
      return
    case "MediaStored":
      request.isStored = AuditFields.read(event, AuditFields.attempt) === request.output?.attempt
      return
    case "SweepRetried": {
      const retry = AuditFields.read(event, AuditFields.sweepRetry)
      if (retry !== ++request.sweepRetries) {
        const counted = `it counts ${retry} retries, the log has ${request.sweepRetries}`
        throw brokenBy(event, "forced end in time", counted)
      }
      return
    }
    case "RequestSubmitted":
    case "DispatchStarted":
    case "ProviderAccepted":
    case "RunTakenOver":
    case "RequestStarted":
    case "ProgressReported":
    case "CancelRequested":
    case "RequestRequeued":
    case "LateOutcomeIgnored":
    case "PayloadsErased":
    case "ErasedFilesRemoved":
      return
  }
}

/** Checks the end of a request and returns how it is billed. */
export const end = (request: OpenRequest, event: RecordedEvent, type: Ending["_tag"]): BillingStatus => {
  switch (type) {
    case "RequestCompleted":
      return complete(request, event).billing.status
    case "RequestForceFailed":
      checkForcedEnd(request, event)
      return "failed"
    case "RequestFailed":
    case "RequestCancelled":
      return "failed"
  }
}

const complete = (request: OpenRequest, event: RecordedEvent): AuditFields.Completion => {
  const completion = AuditFields.read(event, AuditFields.completion)
  const { amount, status, units } = completion.billing
  if (status !== "failed") {
    checkCharge(request, event, completion)
    return completion
  }
  if (amount !== 0n || units !== 0n) {
    throw brokenBy(event, "no charge for a failure", `${usd(amount)} is charged for a failed run`)
  }
  return completion
}

const checkCharge = (
  { isRejected, isStored, output, quote }: OpenRequest,
  event: RecordedEvent,
  { attempt, billing: { amount, status, units }, hasError }: AuditFields.Completion
): void => {
  if (hasError) throw brokenBy(event, "no charge for a failure", "a run that reported an error is charged")
  const missing =
    output === null || output.attempt !== attempt
      ? "is charged without an output of its run"
      : isRejected
        ? "is charged although its output was rejected"
        : output.hasMedia && !isStored
          ? "is charged before the files of its output were stored"
          : null
  if (output === null || missing !== null)
    throw brokenBy(event, "delivered before charged", `a run ${missing}`)
  if (units !== output.delivered) {
    const delivered = `units of ${units} are billed, ${output.delivered} were delivered (millionths)`
    throw brokenBy(event, "charge as quoted", delivered)
  }
  if (units < 0n || (units === 0n && isShort(quote, units))) {
    throw brokenBy(event, "charge as quoted", "a run that delivered nothing is charged")
  }
  const expected = Pricing.charge(quote, units)
  if (amount !== expected || amount > quote.hold) {
    const reason = `${usd(amount)} is charged, the quote says ${usd(expected)}`
    throw brokenBy(event, "charge as quoted", reason)
  }
  if ((status === "partial") !== (output.isCut === true || isShort(quote, units))) {
    throw brokenBy(event, "charge as quoted", `the bill is ${status}, what was delivered is not`)
  }
}

const isShort = ({ quantity }: Pricing.Quote, units: Quantity): boolean =>
  quantity !== null && units < quantity

const checkForcedEnd = ({ submittedAt, sweepRetries }: OpenRequest, event: RecordedEvent): void => {
  const retries = AuditFields.read(event, AuditFields.sweepRetries)
  const ageMs = WallTime.steadyOf(event) - submittedAt
  if (retries === sweepRetries && SweepSchedule.isGivenUp(retries, ageMs)) return
  const found = `given up after ${sweepRetries} retries and ${Math.floor(ageMs / 60_000)} minutes`
  throw brokenBy(event, "forced end in time", found)
}

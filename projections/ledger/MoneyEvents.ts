/** Reads the events that move money, for the projection, for the reservation at submit, and for the audit. */
import { BalanceToppedUp, LimitsChanged } from "#domain/account/Event.ts"
import type { RequestLimits } from "#domain/account/Limits.ts"
import { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import type { Ending } from "#domain/inference-request/Ending.ts"
import { BillingStatus, RequestCompleted, RequestSubmitted } from "#domain/inference-request/Event.ts"
import type { MoneyEvent } from "#domain/Ledger.ts"
import { type NanoUsd, Quantity } from "#domain/Money.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { idOf } from "#streams/StreamName.ts"
import { amount, integer, object, oneOf, text } from "../EventFields.ts"
import { typeOf } from "../Projection.ts"

const accountOf = ({ stream }: RecordedEvent): AccountId => AccountId.make(idOf(stream))
const requestOf = ({ stream }: RecordedEvent): RequestId => RequestId.make(idOf(stream))

const released = (event: RecordedEvent): MoneyEvent => ({ _tag: "Released", requestId: requestOf(event) })

type Reader = (event: RecordedEvent) => MoneyEvent

const endReaders: Record<Ending["_tag"], Reader> = {
  RequestCompleted: (event) => ({
    _tag: "Captured",
    requestId: requestOf(event),
    amount: amount(object(event.data, "billing"), "amount")
  }),
  RequestFailed: released,
  RequestCancelled: released,
  RequestForceFailed: (event) => ({ _tag: "Reverted", requestId: requestOf(event) })
}

const readers: ReadonlyMap<string, Reader> = new Map([
  [
    typeOf(BalanceToppedUp),
    (event) => ({ _tag: "ToppedUp", accountId: accountOf(event), amount: amount(event.data, "amount") })
  ],
  [
    typeOf(RequestSubmitted),
    (event) => ({
      _tag: "Held",
      accountId: AccountId.make(text(event.data, "accountId")),
      requestId: requestOf(event),
      amount: amount(object(event.data, "quote"), "hold")
    })
  ],
  ...Object.entries(endReaders)
])

/** Types of the events that `read` returns a result for. */
export const types: ReadonlyArray<string> = [...readers.keys()]

export const limitsType = typeOf(LimitsChanged)

/** `null` for an event that moves no money. Throws on invalid data. */
export const read = (event: RecordedEvent): MoneyEvent | null => readers.get(event.type)?.(event) ?? null

/** The key that submitted the request, from its `RequestSubmitted`. Throws like `read`. */
export const keyOf = ({ data }: RecordedEvent): KeyId => KeyId.make(text(data, "keyId"))

/** The charge of a completed request. */
export interface Charge {
  readonly quantity: Quantity
  readonly cost: NanoUsd
}

const completedType = typeOf(RequestCompleted)

/** `null` for an event without a charge. A charge may be zero. Throws like `read`. */
export const readCharge = ({ data, type }: RecordedEvent): Charge | null => {
  if (type !== completedType) return null
  const billing = object(data, "billing")
  return oneOf(billing, "status", BillingStatus.literals) === "failed"
    ? null
    : { quantity: Quantity.make(amount(billing, "units")), cost: amount(billing, "amount") }
}

export interface AccountLimits {
  readonly accountId: AccountId
  readonly limits: RequestLimits
}

/** `null` for an event that sets no limits. Throws like `read`. */
export const readLimits = (event: RecordedEvent): AccountLimits | null => {
  if (event.type !== limitsType) return null
  const { data } = event
  return {
    accountId: accountOf(event),
    limits: {
      creditLimit: amount(data, "creditLimit"),
      maxOpenRequests: data["maxOpenRequests"] === null ? null : integer(data, "maxOpenRequests")
    }
  }
}

/** Fields of events that an audit reads beside the moved money (`projections/ledger/MoneyEvents`). */
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { type Billing, BillingStatus } from "#domain/inference-request/Event.ts"
import { Quantity } from "#domain/Money.ts"
import { BillingUnit, type Quote } from "#domain/Pricing.ts"
import * as Fields from "#projections/EventFields.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { brokenBy } from "./Invariant.ts"

/** Fails the audit on data that no release could have written, without repeating it. */
export const read = <A>(event: RecordedEvent, fields: (event: RecordedEvent) => A): A => {
  try {
    return fields(event)
  } catch (error) {
    const isTold = error instanceof Error && error.name === "UnexpectedField"
    throw brokenBy(event, "known events", isTold ? error.message : "its data cannot be read")
  }
}

/** Amounts are decimal texts. */
const quantity = (data: JsonObject, field: string): Quantity => Quantity.make(Fields.amount(data, field))

export const quote = ({ data }: RecordedEvent): Quote => {
  const quote = Fields.object(data, "quote")
  return {
    unit: Fields.oneOf(quote, "unit", BillingUnit.literals),
    unitPrice: Fields.amount(quote, "unitPrice"),
    minimumCharge: Fields.amount(quote, "minimumCharge"),
    quantity: quote["quantity"] === null ? null : quantity(quote, "quantity"),
    maxQuantity: quantity(quote, "maxQuantity"),
    hold: Fields.amount(quote, "hold")
  }
}

export const model = ({ data }: RecordedEvent): string => Fields.text(data, "model")

export const attempt = ({ data }: RecordedEvent): number => Fields.integer(data, "attempt")

/** What a run has delivered. */
export interface Output {
  readonly attempt: number
  readonly delivered: Quantity
  /** Whether its named files have to be stored before the charge. */
  readonly hasMedia: boolean
  /** Whether a cancel stopped the run. Absent in states that older releases stored. */
  readonly isCut?: boolean
}

export const output = (event: RecordedEvent): Output => ({
  attempt: attempt(event),
  delivered: quantity(event.data, "delivered"),
  hasMedia: event.data["media"] !== undefined,
  isCut: event.data["cut"] === true
})

/** The end of a run that ran. */
export interface Completion {
  readonly attempt: number
  readonly billing: Billing
  readonly hasError: boolean
}

export const completion = (event: RecordedEvent): Completion => {
  const billing = Fields.object(event.data, "billing")
  return {
    attempt: attempt(event),
    billing: {
      status: Fields.oneOf(billing, "status", BillingStatus.literals),
      amount: Fields.amount(billing, "amount"),
      units: quantity(billing, "units")
    },
    hasError: Fields.textOrNull(event.data, "error") !== null
  }
}

export const sweepRetry = ({ data }: RecordedEvent): number => Fields.integer(data, "retry")
export const sweepRetries = ({ data }: RecordedEvent): number => Fields.integer(data, "retries")

export const openedAccount = ({ data }: RecordedEvent): string => Fields.text(data, "accountId")

export interface Payment {
  readonly reference: string
  readonly paymentId: string | null
}

export const payment = ({ data }: RecordedEvent): Payment => ({
  reference: Fields.text(data, "reference"),
  paymentId: data["paymentId"] === undefined ? null : Fields.text(data, "paymentId")
})

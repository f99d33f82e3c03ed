/** A request in a list (decisions, "History"): the result object, with payloads on request. */
import { Schema, Struct } from "effect"
import * as Money from "#domain/Money.ts"
import { BillingUnit } from "#domain/Pricing.ts"
import type { Bill } from "../ListedRequest.ts"
import type { PayloadTexts } from "../Requests.ts"
import type { ListedRequest } from "../ListedRequest.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as RequestUrls from "./RequestUrls.ts"
import * as ResultView from "./ResultView.ts"

const decimal = (description: string) => Schema.String.annotate({ description })
const usd = (what: string) => decimal(`${what}, in USD, as a decimal.`)
const units = (what: string) =>
  Schema.NullOr(Schema.String.annotate({ description: `${what}, as a decimal.` }))

const BillBody = Schema.Struct({
  unit: BillingUnit,
  unitPrice: usd("Of one unit"),
  minimumCharge: usd("What a charged run costs at least"),
  currency: Schema.Literal("USD"),
  quotedQuantity: units("Requested units; null when only the run determines them"),
  maxQuantity: decimal("Units that are charged at most, as a decimal."),
  hold: usd("Reserved from submit to the end; the charge never exceeds it"),
  quantity: units("Units delivered; null unless it is `COMPLETED`"),
  charged: usd("As `cost`")
}).annotate({ identifier: "RequestBill", description: "The price of the request, and its billing." })
type BillBody = typeof BillBody.Type

const { input, output, ...fields } = ResultView.RetrievedBody.fields

export const ListedBody = Schema.Struct({
  ...fields,
  input: Schema.optionalKey(input),
  output: Schema.optionalKey(output),
  payloadsOmitted: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "The payloads were requested but exceed the answer: `input` and `output` are null."
    })
  ),
  billing: Schema.optionalKey(BillBody)
}).annotate({
  identifier: "ListedRequest",
  description: "The request as `GET /requests/{id}` shows it; `input`, `output` and `billing` when expanded."
})
export type ListedBody = typeof ListedBody.Type

/** The same with texts of payloads. */
export type Listed = Omit<ListedBody, keyof PayloadTexts> & Partial<PayloadTexts>

const example: ListedBody = {
  id: RequestUrls.exampleId,
  modelEndpoint: "sandbox/echo",
  status: "COMPLETED",
  error: null,
  metadata: { team: "blue" },
  inferenceTime: 1_500,
  delayTime: 10,
  createdAt: "2026-01-05T12:00:00.000Z",
  outcome: "succeeded",
  cost: "0.001",
  media: [],
  ...RequestUrls.example,
  billingStatus: "charged",
  expiresAt: "2026-02-04T12:00:00.000Z",
  erasedAt: null
}

const exampleBill: BillBody = {
  unit: "request",
  unitPrice: "0.001",
  minimumCharge: "0",
  currency: "USD",
  quotedQuantity: "1",
  maxQuantity: "1",
  hold: "0.001",
  quantity: "1",
  charged: "0.001"
}

const examplePage = (item: ListedBody) => ({
  page: 1,
  limit: 20,
  total: 1,
  totalPages: 1,
  data: [item],
  next: null
})

export const ListBody = ListView.bodyOf(ListedBody).annotate({
  identifier: "Requests",
  description: "A page of the account's requests.",
  examples: [
    examplePage(example),
    examplePage({ ...example, input: { value: "hello" }, output: { value: "hello" }, billing: exampleBill })
  ]
})

const nothing = { input: null, output: null }

export const record = (
  urls: Parameters<typeof ResultView.retrieved>[0],
  { bill, payloads, snapshot }: ListedRequest
): Listed => {
  const isOmitted = payloads === "omitted"
  const whole = ResultView.retrieved(urls, snapshot, isOmitted ? nothing : (payloads ?? nothing))
  return {
    ...(payloads === null ? Struct.omit(whole, ["input", "output"]) : whole),
    ...(isOmitted && { payloadsOmitted: true }),
    ...(bill !== null && { billing: billOf(bill) })
  }
}

const billOf = ({ billed, quote }: Bill): BillBody => ({
  unit: quote.unit,
  unitPrice: Money.format(quote.unitPrice),
  minimumCharge: Money.format(quote.minimumCharge),
  currency: "USD",
  quotedQuantity: quote.quantity === null ? null : Money.formatQuantity(quote.quantity),
  maxQuantity: Money.formatQuantity(quote.maxQuantity),
  hold: Money.format(quote.hold),
  quantity: billed === null ? null : Money.formatQuantity(billed.units),
  charged: Money.format(billed?.amount ?? Money.zero)
})

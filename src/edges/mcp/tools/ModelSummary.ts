/** A model or a wrapper in lists and searches: enough to choose by, and short enough for a page of them. */
import { Schema, Struct } from "effect"
import { Category } from "#domain/catalog/Model.ts"
import { BillingUnit } from "#domain/Pricing.ts"
import type { Listed, ListedModel, ListedWrapper } from "#src/features/catalog/CatalogContents.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"
import * as MoneyView from "#src/platform/views/MoneyView.ts"
import { memoize } from "#src/kernel/async/Memoize.ts"
import * as Excerpt from "./Excerpt.ts"

/** Characters of a description in a list. */
const longestDescription = 200

/** Schemas of answers are short. The server's instructions describe what all of them share. */
const Pricing = Schema.Struct({
  unit: BillingUnit,
  unitPrice: Schema.String,
  currency: MoneyView.Currency,
  minimumCharge: Schema.String
}).annotate({ description: "In USD; charged on success only." })

export const named = { modelEndpoint: Schema.String, displayName: Schema.String }

export const shown = {
  category: Category,
  status: Schema.Literals(ListingView.statuses).annotate({
    description: "`deprecated`: it still runs, but prefer another."
  }),
  recommended: Schema.NullOr(Schema.Finite).annotate({
    description: "Curated rank in its category, 1 first."
  }),
  pricing: Pricing,
  expectedSeconds: Schema.Finite
}

export const base = Schema.String.annotate({ description: "`owner/name` of its model." })

const fields = {
  ...named,
  description: Schema.String.annotate({ description: `Cut at ${longestDescription} characters.` }),
  ...shown
}

export const ModelSummary = Schema.Struct(fields)

export const WrapperSummary = Schema.Struct({ ...fields, base })

export const excerpt = (description: string): string => Excerpt.of(description, longestDescription)

const names = Struct.keys({ ...named, ...shown })

/** The fields that lists and details share, from the REST record. */
export const commonOf = (record: ReturnType<typeof ListingView.record>) => Struct.pick(record, names)

const of = memoize((listed: Listed): typeof ModelSummary.Type => {
  const record = ListingView.record(listed)
  return { ...commonOf(record), description: excerpt(record.description) }
})

export const ofModel = (listed: ListedModel): typeof ModelSummary.Type => of(listed)

export const ofWrapper = (listed: ListedWrapper): typeof WrapperSummary.Type => ({
  ...of(listed),
  base: listed.wrapper.base
})

/** What lists and searches show of a model or a wrapper: enough to choose by, few enough words for a page of them. */
import { Schema } from "effect"
import { Category, type Model } from "#domain/catalog/Model.ts"
import { BillingUnit } from "#domain/Pricing.ts"
import type { Listed, ListedModel, ListedWrapper } from "#src/catalog/CatalogContents.ts"
import * as ListingView from "#src/http/views/ListingView.ts"
import * as MoneyView from "#src/http/views/MoneyView.ts"
import * as PriceView from "#src/http/views/PriceView.ts"
import * as Excerpt from "./Excerpt.ts"

/** Characters of a description in a list. */
const longestDescription = 200

export const Pricing = Schema.Struct({
  unit: BillingUnit.annotate({
    description: "What is billed: whole requests, or units of what a run makes or how long it takes."
  }),
  unitPrice: Schema.String.annotate({ description: "Of one unit in USD, as a decimal." }),
  currency: MoneyView.Currency.annotate({ description: "Always USD." }),
  minimumCharge: Schema.String.annotate({ description: "The least that a charged run costs in USD." })
}).annotate({ description: "Charged on success only: runs that fail or are cancelled cost nothing." })

export const named = {
  modelEndpoint: Schema.String.annotate({
    description: "`owner/name`: what `run_model` and the `get_…` tools take as their `modelEndpoint`."
  }),
  displayName: Schema.String.annotate({ description: "Its name for people." })
}

export const shown = {
  category: Category.annotate({ description: "What it makes or works on." }),
  status: Schema.Literals(ListingView.statuses).annotate({
    description: "`deprecated`: it still runs, but choose another one unless the user wants this one."
  }),
  recommended: Schema.NullOr(Schema.Finite).annotate({
    description: "Its place in the curated list of its category, 1 is first; null: not in it."
  }),
  pricing: Pricing,
  expectedSeconds: Schema.Finite.annotate({
    description: "How long a run usually takes in seconds, as its publisher says."
  })
}

export const base = Schema.String.annotate({ description: "`owner/name` of the model that runs." })

const fields = {
  ...named,
  description: Schema.String.annotate({
    description: `What it does. Cut at ${longestDescription} characters: \`get_model\` has all of it.`
  }),
  ...shown
}

export const ModelSummary = Schema.Struct(fields).annotate({ description: "A model in short." })

export const WrapperSummary = Schema.Struct({ ...fields, base }).annotate({
  description: "A wrapper in short."
})

export const excerpt = (description: string): string => Excerpt.of(description, longestDescription)

const of = (shown: ListingView.Shown, runs: Model, listed: Listed): typeof ModelSummary.Type => ({
  modelEndpoint: shown.endpoint,
  displayName: shown.displayName,
  description: excerpt(shown.description),
  category: shown.category,
  status: listed.status,
  recommended: shown.recommended ?? null,
  pricing: PriceView.pricing(runs.price),
  expectedSeconds: runs.expectedSeconds
})

export const ofModel = (listed: ListedModel): typeof ModelSummary.Type =>
  of(listed.model, listed.model, listed)

export const ofWrapper = (listed: ListedWrapper): typeof WrapperSummary.Type => ({
  ...of(listed.wrapper, listed.base, listed),
  base: listed.wrapper.base
})

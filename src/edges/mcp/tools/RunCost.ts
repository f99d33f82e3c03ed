/** The cost of a run before it has ended. */
import { Schema } from "effect"

export const fields = {
  estimatedCost: Schema.String.annotate({
    description: "The charge if it succeeds: see `isMaximum`."
  }),
  isMaximum: Schema.Boolean.annotate({
    description: "Only the run can tell its units: `estimatedCost` is a limit, often far above the charge."
  }),
  maximumCost: Schema.String.annotate({
    description: "Reserved while it runs; the charge never exceeds it."
  })
}

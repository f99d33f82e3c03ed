/** The cost of a run before it has ended. */
import { Schema } from "effect"

export const fields = {
  estimatedCost: Schema.String.annotate({
    description: "What is charged if it ends well: see `isMaximum`."
  }),
  isMaximum: Schema.Boolean.annotate({
    description: "Only the run can tell its units: `estimatedCost` is a limit, often far above the charge."
  }),
  maximumCost: Schema.String.annotate({
    description: "Held of the balance while it runs, and never exceeded."
  })
}

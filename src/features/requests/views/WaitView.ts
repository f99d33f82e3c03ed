/** What a request waits for while nothing can run it. Status and single reads show it. */
import { Schema } from "effect"
import * as WaitingFor from "#src/features/provider-health/WaitingFor.ts"

export const Cause = Schema.Literals(WaitingFor.causes).annotate({
  description:
    "Why no run can begin now: the provider cannot be reached, no worker asks for jobs of the model, or the provider's credential is not configured. Absent otherwise."
})

export const Reason = Schema.String.annotate({
  description: "The same as a sentence, with the known cause."
})

import { Schema } from "effect"

/** The log or a read model failed, or the running server did not answer. */
export class AdministrationFailed extends Schema.TaggedError<AdministrationFailed>()("AdministrationFailed", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

export const failed = (error: { readonly message: string }) =>
  new AdministrationFailed({ reason: error.message })

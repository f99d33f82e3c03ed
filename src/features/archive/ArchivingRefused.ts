import { Schema } from "effect"

/** The log is not archived here, or not now. */
export class ArchivingRefused extends Schema.TaggedError<ArchivingRefused>()("ArchivingRefused", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

import { Effect, Schema } from "effect"

/** The file of the read models cannot be opened, read or written. Nothing is lost: it can be rebuilt from the log. */
export class ReadModelError extends Schema.TaggedError<ReadModelError>()("ReadModelError", {
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.reason
  }
}

export const attempt = <A>(reason: string, run: () => A): Effect.Effect<A, ReadModelError> =>
  Effect.try({ try: run, catch: (cause) => new ReadModelError({ reason, cause }) })

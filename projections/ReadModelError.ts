import { Effect, Schema } from "effect"

/** The file of the read models cannot be opened, read or written. No data is lost: the file can be rebuilt from the log. */
export class ReadModelError extends Schema.TaggedError<ReadModelError>()("ReadModelError", {
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.reason
  }
}

/** The read model did not reach the end of the log in time, so its rows may be out of date. */
export class ReadModelBehind extends Schema.TaggedError<ReadModelBehind>()("ReadModelBehind", {
  projection: Schema.String
}) {
  override get message(): string {
    return `The read model ${this.projection} is behind the log`
  }
}

export const attempt = <A>(reason: string, run: () => A): Effect.Effect<A, ReadModelError> =>
  Effect.try({ try: run, catch: (cause) => new ReadModelError({ reason, cause }) })

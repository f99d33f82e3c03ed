/** What becomes of the rejections of an account's commands: errors for those that can come of one, bugs of the others. */
import { Effect } from "effect"
import type * as Account from "#domain/account/Account.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

type Errors = { readonly [Tag in Account.Rejection["_tag"]]?: () => unknown }

type ErrorOf<Expected extends Errors> = {
  [Tag in keyof Expected]: Expected[Tag] extends () => infer E ? E : never
}[keyof Expected]

/** `errors` are for the rejections that the command can lead to. */
export const expect =
  <Expected extends Errors>(errors: Expected) =>
  <A, R>(
    executed: Effect.Effect<A, Account.Rejection | EventStoreError, R>
  ): Effect.Effect<A, ErrorOf<Expected> | EventStoreError, R> =>
    Effect.catch(executed, (error): Effect.Effect<never, ErrorOf<Expected> | EventStoreError> => {
      if (error._tag === "EventStoreError") return Effect.fail(error)
      const make = errors[error._tag]
      return make === undefined ? Effect.die(error) : Effect.fail(make() as ErrorOf<Expected>)
    })

/** For a command that nothing can be wrong with. */
export const none = expect({})

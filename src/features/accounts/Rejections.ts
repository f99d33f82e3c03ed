/** Turns the rejections of an account's commands into errors, if the command can cause them, or into bugs. */
import { Effect } from "effect"
import type { Rejection } from "#domain/account/Command.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

type Errors = {
  readonly [Tag in Rejection["_tag"]]?: (rejection: Extract<Rejection, { readonly _tag: Tag }>) => unknown
}

type ErrorOf<Expected extends Errors> = {
  [Tag in keyof Expected]: Expected[Tag] extends (...rejected: ReadonlyArray<never>) => infer E ? E : never
}[keyof Expected]

/** `errors` for the rejections that the command can cause. */
export const expect =
  <Expected extends Errors>(errors: Expected) =>
  <A, R>(
    executed: Effect.Effect<A, Rejection | EventStoreError, R>
  ): Effect.Effect<A, ErrorOf<Expected> | EventStoreError, R> =>
    Effect.catch(executed, (error): Effect.Effect<never, ErrorOf<Expected> | EventStoreError> => {
      if (error._tag === "EventStoreError") return Effect.fail(error)
      const make = errors[error._tag]
      return make === undefined ? Effect.die(error) : Effect.fail(make(error as never) as ErrorOf<Expected>)
    })

/** For a command without rejections. */
export const none = expect({})

/**
 * Variables of this process, set until the scope ends and then as they were. One by one: the files of a worker share the
 * process, and a copy put in the place of `process.env` is no longer what `vi.stubEnv` takes its own back from.
 */
import { Effect, type Scope } from "effect"

export type Variables = Readonly<Record<string, string | undefined>>

const assign = (variables: Variables) => {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

/** `undefined` for a variable that is not to be there. */
export const use = (variables: Variables): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync((): Variables => {
        const before = Object.keys(variables).map((name) => [name, process.env[name]])
        assign(variables)
        return Object.fromEntries(before)
      }),
      (before) => Effect.sync(() => assign(before))
    )
  )

/**
 * Sets environment variables until the scope ends, one by one. Test files of a worker share the process, and
 * `vi.stubEnv` restores variables only in the original `process.env`.
 */
import { Effect, type Scope } from "effect"

export type Variables = Readonly<Record<string, string | undefined>>

const assign = (variables: Variables) => {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

/** `undefined` removes the variable. */
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

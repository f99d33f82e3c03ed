/** The caller of a tool. Tools that need it declare the dependency, and the endpoint provides it with each call. */
import { Context, Effect } from "effect"
import type { Scope } from "#domain/account/Grant.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { ToolError } from "./ToolError.ts"

export class ToolCaller extends Context.Service<ToolCaller, Caller>()("inferlog/src/edges/mcp/ToolCaller") {}

/** The caller, if the key of the login has the scope. */
export const granted = (scope: Scope): Effect.Effect<Caller, ToolError, ToolCaller> =>
  Effect.flatMap(ToolCaller, (caller) =>
    caller.grant.scopes.includes(scope)
      ? Effect.succeed(caller)
      : Effect.fail(
          new ToolError({
            message: `The API key of this assistant's sign-in lacks the scope \`${scope}\`. Calling again will not help: ask the user to sign in with a key that has it.`
          })
        )
  )

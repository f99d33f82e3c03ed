/** Shares a look-up between the calls that need the same name at once. */
import { Effect, Fiber, RcMap } from "effect"
import type { Resolve } from "./Vetting.ts"

/**
 * At most one query per name is in flight. Its answer is not cached, because each call must check what the name
 * means now. The query is cancelled when no call waits for it any more.
 */
export const shared = Effect.fnUntraced(function* (resolve: Resolve) {
  const inFlight = yield* RcMap.make({
    lookup: (name: string) => Effect.forkScoped(resolve(name))
  })
  const lookUp: Resolve = (name) => RcMap.get(inFlight, name).pipe(Effect.flatMap(Fiber.join), Effect.scoped)
  return lookUp
})

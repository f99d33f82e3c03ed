/** Look-ups of names that are asked for by many calls at once. */
import { Effect, Fiber, RcMap } from "effect"
import type { Resolve } from "./Vetting.ts"

/**
 * One query in flight for all that ask for a name meanwhile. Its answer is forgotten when they have it, since a call must
 * judge what the name means now; it ends when nobody waits for it any more.
 */
export const shared = Effect.fnUntraced(function* (resolve: Resolve) {
  const inFlight = yield* RcMap.make({
    lookup: (name: string) => Effect.forkScoped(resolve(name))
  })
  const lookUp: Resolve = (name) => RcMap.get(inFlight, name).pipe(Effect.flatMap(Fiber.join), Effect.scoped)
  return lookUp
})

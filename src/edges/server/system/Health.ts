/** `GET /health`: whether requests that are submitted here are accepted and run. */
import { Effect } from "effect"
import { Health, type Unwell } from "#src/platform/health/Health.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"

const ok = Answer.json(200, { status: "ok" })

const unwell = (reasons: ReadonlyArray<Unwell>) =>
  new Refusal.Refusal({
    status: 503,
    error: "The server does not accept requests, or does not run them.",
    details: {
      code: "UNHEALTHY",
      reasons: reasons.map(({ code, message, since }) => ({ code, message, since: DateTime.format(since) }))
    },
    headers: { "retry-after": "5" }
  })

export const make = Effect.gen(function* () {
  const { reasons } = yield* Health

  /** @param asksOnlyForLife whether an answer is all that is wanted to know. */
  return Effect.fnUntraced(function* (asksOnlyForLife: boolean) {
    if (asksOnlyForLife) return ok
    const found = yield* reasons
    return found.length === 0 ? ok : yield* unwell(found)
  })
})

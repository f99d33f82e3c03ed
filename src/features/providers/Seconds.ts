/** How long a model ran: the `seconds` of a successful run. */
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

/** Longer times are measurement errors. */
const mostSeconds = 1e9

/** The provider's measurement in a member of `metrics`, if there is one. */
export const measured = (
  metrics: Json | undefined,
  member: string,
  unitsPerSecond = 1
): { readonly seconds?: number } => {
  if (typeof metrics !== "object" || metrics === null || Array.isArray(metrics)) return {}
  const value: unknown = Object.getOwnPropertyDescriptor(metrics, member)?.value
  return typeof value === "number" && value >= 0 && value <= mostSeconds * unitsPerSecond
    ? { seconds: value / unitsPerSecond }
    : {}
}

/** For protocols where one call is the run: the duration of the call, unless the provider measures. */
export const ofCall = <A extends ProviderOutcome | null, E, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<A | ProviderOutcome, E, R> =>
  Effect.flatMap(MonotonicTime.millis, (sentAt) =>
    Effect.zipWith(call, MonotonicTime.millis, (ended, now) => {
      const outcome: ProviderOutcome | null = ended
      return outcome?._tag === "Succeeded" && outcome.seconds === undefined
        ? { ...outcome, seconds: (now - sentAt) / 1_000 }
        : ended
    })
  )

/** How long a model ran: `seconds` of a run that succeeded. */
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

/** What takes longer was not measured. */
const mostSeconds = 1e9

/** As the provider measured it in a member of `metrics`; nothing when it did not. */
export const told = (
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

/** For a protocol where a call is the run: what measures nothing itself has the call measured. */
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

/** Describes a request that is waited for: its state, and its progress or the remaining time. */
import { Effect } from "effect"
import { status } from "#domain/inference-request/Status.ts"
import type { RequestId } from "#domain/Ids.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import * as WaitingFor from "#src/features/provider-health/WaitingFor.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"

const longestLogLine = 200

const seconds = (millis: number): string => `${Math.max(1, Math.round(millis / 1_000))} s`

const waited = (millis: number): string => (millis < 1_000 ? "" : ` after ${seconds(millis)} of waiting`)

export const make = Effect.gen(function* () {
  const expectations = yield* Expectations
  const actors = yield* RequestActors
  const steady = yield* SteadyTime
  const waitingFor = yield* WaitingFor.WaitingFor

  /** 0 to 1, for a run whose provider reports progress. */
  const fractionOf = (id: RequestId): number | null => {
    const state = actors.peek(id)?.state
    return state?._tag === "Request" ? state.progress : null
  }

  /** The rest of the usual time; `null` when it is unknown or over. */
  const leftMs = ({ request: { startedAt, submitted } }: Snapshot, now: number): number | null => {
    const expected = expectations.of(submitted.model)
    const learned = expected?.p50Seconds ?? null
    const usualMs = learned === null ? submitted.expectedMs : learned * 1_000
    if (usualMs === undefined) return null
    const waitMs = (expected?.waitSeconds ?? 0) * 1_000
    const endsAt = (startedAt ?? Math.max(now, submitted.at + waitMs)) + usualMs
    return endsAt > now ? endsAt - now : null
  }

  /** A run's own progress is better than the duration of other runs. */
  const outlook = Effect.fnUntraced(function* (snapshot: Snapshot) {
    const wait = WaitingFor.ofRequest(waitingFor, snapshot.request)
    if (wait !== null) return [`nothing takes it for now: ${wait.reason}`]
    const fraction = fractionOf(snapshot.id)
    if (fraction !== null) return [`${Math.round(fraction * 100)} % done`]
    const left = leftMs(snapshot, yield* steady.now)
    return left === null ? [] : [`usually ${seconds(left)} more`]
  })

  const whereabouts = (snapshot: Snapshot) =>
    Effect.map(outlook(snapshot), (details) => [status(snapshot.request), ...details].join(", "))

  return {
    progress: Effect.fnUntraced(function* (snapshot: Snapshot) {
      const text = yield* whereabouts(snapshot)
      const line = snapshot.request.logs.at(-1)
      return line === undefined ? text : `${text}: ${line.slice(0, longestLogLine)}`
    }),
    stillRunning: (snapshot: Snapshot, waitedMs: number) =>
      Effect.map(
        whereabouts(snapshot),
        (text) =>
          `Still running${waited(waitedMs)} (${text}): call wait_for_request again with the same requestId. Do not call run_model again: that would be another request.`
      )
  }
})

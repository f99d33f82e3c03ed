/** Requests in the states that a sweep finds. */
import { Effect } from "effect"
import { units } from "#domain/Money.ts"
import type { RequestId } from "#domain/Ids.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { Sweeper } from "#src/features/dispatch/sweep/Sweeper.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { testModel } from "#test/support/TestModels.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

/** Usually takes a second. */
export const patient = testModel("test/patient", { timeoutSeconds: 1_000_000, concurrency: 10 })
export const models = [patient]

export const sweep = Effect.flatMap(Sweeper, ({ sweep }) => sweep)

export const nothing = { expired: 0, forceFailed: 0, lost: 0, finished: 0, mediaMissing: 0 }

export const submit = (options: Parameters<typeof Facts.submit>[0] = {}) =>
  Facts.submit({ model: patient, ...options })

/** A request that the provider has started as `jobId`. */
export const running = Effect.fnUntraced(function* (jobId: string) {
  const id = yield* submit()
  const run = yield* (yield* TestProvider).next
  yield* run.does(({ accepted, started }) => Effect.andThen(accepted(jobId), started))
  return { id, run }
})

/** A node's commands to a request, without a dispatcher. */
export const execute = Effect.fnUntraced(function* (
  id: RequestId,
  ...commands: ReadonlyArray<Parameters<RequestActors["Service"]["execute"]>[1]>
) {
  const actors = yield* RequestActors
  for (const command of commands) yield* actors.execute(id, command)
})

export const dispatch = (at: number, node = "node") =>
  ({ _tag: "Dispatch", at, provider: "builtin", node }) as const

export const lost = (at: number, attempt: number) =>
  ({ _tag: "SweepRetry", at, attempt, reason: "lost" }) as const

/** An output that names a file. */
export const outputWithMedia = (at: number) =>
  ({
    _tag: "RecordOutcome",
    at,
    attempt: 1,
    startedAt: at,
    outcome: {
      _tag: "Succeeded",
      delivered: units(1),
      output: {
        ref: { hash: "hash", size: 2 },
        violations: [],
        media: [{ path: "/value", fileId: "file", thumbnailId: "thumbnail" }]
      }
    }
  }) as const

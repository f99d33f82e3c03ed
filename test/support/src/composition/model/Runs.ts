/** The provider of the model test: all runs, their instructions, and the state of their jobs. */
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { JobState, RunControl } from "#src/features/providers/Provider.ts"
import { TestProvider, type TestRun } from "#test/support/TestProvider.ts"
import * as Offers from "./Offers.ts"

/** One run at a provider. A node may have learned of its end before the request ended, after, or never. */
export interface ObservedRun {
  readonly run: TestRun
  readonly attempt: number
  readonly order: Offers.Order
  /** The node at its start. */
  readonly node: string
  isOpen: boolean
  isStopAsked: boolean
}

/** Whether a run was instructed to end so, or a look reported it. */
export interface Told {
  readonly attempt: number
  readonly end: Offers.End
}

export interface Runs {
  readonly of: (id: RequestId) => ReadonlyArray<ObservedRun>
  readonly all: () => ReadonlyArray<ObservedRun>
  /** The number of begun runs, and of those instructed to end. */
  readonly counts: () => string
  readonly told: (id: RequestId) => ReadonlyArray<Told>
  readonly end: (observed: ObservedRun, end: Offers.End) => Effect.Effect<void>
  /** Ends it in this way when it is stopped. */
  readonly endWhenStopped: (observed: ObservedRun, end: Offers.End) => Effect.Effect<void>
  /** Makes a report without waiting for it. */
  readonly report: (
    observed: ObservedRun,
    act: (control: RunControl) => Effect.Effect<void>
  ) => Effect.Effect<void>
  readonly answerLooks: (id: RequestId, answer: Offers.End | "unknown" | null) => void
  /** From now on everything succeeds: looks find jobs finished, and new runs end at once. */
  readonly calm: Effect.Effect<void>
}

const outcomeOf = (end: Offers.End, order: Offers.Order): Effect.Effect<ProviderOutcome> => {
  const outcome = Offers.outcomeOf(end, order)
  return outcome === null ? Effect.die("The provider of the test dies") : Effect.succeed(outcome)
}

/** `node` is the current node. */
export const make = Effect.fnUntraced(function* (node: () => string) {
  const provider = yield* TestProvider
  const scope = yield* Effect.scope
  const runs = new Map<RequestId, Array<ObservedRun>>()
  const told = new Map<RequestId, Array<Told>>()
  const looks = new Map<RequestId, Offers.End | "unknown" | null>()
  let isCalm = false
  let begun = 0
  let ended = 0

  const noteTold = (id: RequestId, attempt: number, end: Offers.End) =>
    told.set(id, [...(told.get(id) ?? []), { attempt, end }])

  const fork = (effect: Effect.Effect<unknown>) => Effect.asVoid(Effect.forkIn(effect, scope))

  const end: Runs["end"] = (observed, end) =>
    Effect.suspend(() => {
      if (!observed.isOpen) return Effect.void
      observed.isOpen = false
      ended++
      noteTold(observed.run.job.requestId, observed.attempt, end)
      return observed.run.ends(outcomeOf(end, observed.order))
    })

  const observe = Effect.fnUntraced(function* (run: TestRun) {
    const { attempt, input, model, requestId } = run.job
    begun++
    const order = Offers.orderOf(model.endpoint, input)
    const observed: ObservedRun = { run, attempt, order, node: node(), isOpen: true, isStopAsked: false }
    runs.set(requestId, [...(runs.get(requestId) ?? []), observed])
    yield* fork(Effect.map(run.interrupted, () => (observed.isOpen = false)))
    yield* fork(Effect.map(run.stopRequested, () => (observed.isStopAsked = true)))
    if (isCalm) yield* end(observed, "valid")
  })
  yield* fork(Effect.forever(Effect.flatMap(provider.next, observe)))

  provider.lookAs(({ attempt, requestId }) =>
    Effect.suspend((): Effect.Effect<JobState> => {
      const found = looks.get(requestId)
      const answer = found === undefined || (isCalm && found === null) ? (isCalm ? "valid" : null) : found
      const order = runs.get(requestId)?.[0]?.order
      if (answer === null) return Effect.succeed({ _tag: "Alive" })
      if (answer === "unknown" || order === undefined) return Effect.succeed({ _tag: "Unknown" })
      noteTold(requestId, attempt, answer)
      return Effect.map(outcomeOf(answer, order), (outcome) => ({ _tag: "Finished", outcome }))
    })
  )

  const result: Runs = {
    of: (id) => runs.get(id) ?? [],
    all: () => [...runs.values()].flat(),
    counts: () => `${begun} ${ended}`,
    told: (id) => told.get(id) ?? [],
    end,
    endWhenStopped: (observed, how) =>
      fork(
        Effect.andThen(
          observed.run.stopRequested,
          Effect.suspend(() => end(observed, how))
        )
      ),
    report: ({ run }, act) => fork(run.does(act)),
    answerLooks: (id, answer) => void looks.set(id, answer),
    calm: Effect.suspend(() => {
      isCalm = true
      looks.clear()
      return Effect.forEach(result.all(), (observed) => end(observed, "valid"), { discard: true })
    })
  }
  return result
})

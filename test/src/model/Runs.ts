/** The provider of the model test: every run that ever began, what it was told, and what is said of its job. */
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import type { JobState, RunControl } from "#src/features/providers/Provider.ts"
import { TestProvider, type TestRun } from "#test/support/TestProvider.ts"
import * as Offers from "./Offers.ts"

/** One run at a provider, of which a node may have heard before the request ended, or after, or never. */
export interface ObservedRun {
  readonly run: TestRun
  readonly attempt: number
  readonly order: Offers.Order
  /** The node that was there when it began. */
  readonly node: string
  isOpen: boolean
  isStopAsked: boolean
}

/** That a run was told to end so, or that a look said so. */
export interface Told {
  readonly attempt: number
  readonly end: Offers.End
}

export interface Runs {
  readonly of: (id: RequestId) => ReadonlyArray<ObservedRun>
  readonly all: () => ReadonlyArray<ObservedRun>
  /** How many began, and how many of them were told to end. */
  readonly counts: () => string
  readonly told: (id: RequestId) => ReadonlyArray<Told>
  readonly end: (observed: ObservedRun, end: Offers.End) => Effect.Effect<void>
  /** Ends it so as soon as it is asked to stop. */
  readonly endWhenStopped: (observed: ObservedRun, end: Offers.End) => Effect.Effect<void>
  /** Makes a report, for which nobody waits. */
  readonly report: (
    observed: ObservedRun,
    act: (control: RunControl) => Effect.Effect<void>
  ) => Effect.Effect<void>
  readonly answerLooks: (id: RequestId, answer: Offers.End | "unknown" | null) => void
  /** From now on everything ends well: looks find jobs finished, and new runs end at once. */
  readonly calm: Effect.Effect<void>
}

const outcomeOf = (end: Offers.End, order: Offers.Order): Effect.Effect<ProviderOutcome> => {
  const outcome = Offers.outcomeOf(end, order)
  return outcome === null ? Effect.die("The provider of the test dies") : Effect.succeed(outcome)
}

/** `node` names the one that is there. */
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

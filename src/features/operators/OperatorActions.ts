/** Records what operators do: on the log before it takes effect, and its result after it. */
import { Cause, Clock, Context, Effect, Exit, Layer, Predicate } from "effect"
import type { ActionResult } from "#domain/operator-action/OperatorAction.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import { ActingOperator } from "./Operator.ts"
import { OperatorActionActors } from "./OperatorActors.ts"

type Targets = Readonly<Record<string, string>>

export interface Action<A> {
  readonly action: string
  readonly targets: Targets
  /** What a successful action made. */
  readonly made: (result: A) => Targets
  /** Whether the error means that nothing has changed. */
  readonly isRefusal: (error: unknown) => boolean
}

interface End {
  readonly result: ActionResult
  readonly code: string | null
  readonly made: Targets
}

const nothing: Targets = {}

const codeOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "Unexpected"

const endOf = <A, E>(exit: Exit.Exit<A, E>, { isRefusal, made }: Action<A>): End => {
  if (Exit.isSuccess(exit)) return { result: "done", code: null, made: made(exit.value) }
  const error = Cause.squash(exit.cause)
  const result = !Cause.hasDies(exit.cause) && isRefusal(error) ? "refused" : "failed"
  return { result, code: codeOf(error), made: nothing }
}

export class OperatorActions extends Context.Service<
  OperatorActions,
  {
    /**
     * Runs `effect` as an action of the `ActingOperator`. Without a record on the log, it does not run. Once it is recorded,
     * it runs to its end, even if the client leaves.
     */
    recorded<A, E, R>(
      action: Action<A>,
      effect: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | EventStoreError, R>
  }
>()("inferlog/src/features/operators/OperatorActions") {
  static readonly layer = Layer.effect(
    OperatorActions,
    Effect.gen(function* () {
      const actors = yield* OperatorActionActors
      const ids = yield* IdGenerator

      const ended = Effect.fnUntraced(function* (actionId: string, end: End) {
        const at = yield* Clock.currentTimeMillis
        yield* actors.execute(actionId, { _tag: "End", end: { at, ...end } })
      })

      const recorded = Effect.fnUntraced(function* <A, E, R>(
        action: Action<A>,
        effect: Effect.Effect<A, E, R>
      ) {
        const { callId, operator } = yield* ActingOperator
        const actionId = ids.next()
        yield* actors.create(actionId, {
          _tag: "Start",
          action: {
            at: yield* Clock.currentTimeMillis,
            operatorId: operator.id,
            operatorName: operator.name,
            role: operator.role,
            action: action.action,
            targets: action.targets,
            callId
          }
        })
        const exit = yield* Effect.exit(effect)
        // The effect has taken place: its result is not lost with the record of its end.
        yield* Effect.catchCause(ended(actionId, endOf(exit, action)), (cause) =>
          Effect.logWarning(`The end of the operator's action ${actionId} is not on the log`, cause)
        )
        return yield* exit
      })

      return OperatorActions.of({
        recorded: (action, effect) => Effect.uninterruptible(recorded(action, effect))
      })
    })
  )
}

/**
 * How many messages may have text in files at once: it bounds what they take up on disk. An account has a second place only
 * while half of them are free, so that few who are slow do not keep everybody else out.
 */
import { Deferred, type Duration, Effect, type Scope } from "effect"

export interface SpoolPlaces {
  /** A place until the scope closes, in the order of arrival of those who may have one; `otherwise` when there is none in time. */
  readonly enter: <E>(
    account: string,
    otherwise: Effect.Effect<never, E>
  ) => Effect.Effect<void, E, Scope.Scope>
}

interface Visit {
  readonly account: string
  readonly entered: Deferred.Deferred<void>
}

export const make = (options: {
  readonly all: number
  /** Of an account. */
  readonly each: number
  /** How long one waits at most. */
  readonly patience: Duration.Input
}): SpoolPlaces => {
  const inside = new Set<Visit>()
  const waiting = new Set<Visit>()

  const mayEnter = ({ account }: Visit): boolean => {
    let own = 0
    for (const other of inside) if (other.account === account) own++
    return own === 0 ? inside.size < options.all : own < options.each && 2 * inside.size < options.all
  }

  const letIn = () => {
    for (const visit of waiting) {
      if (!mayEnter(visit)) continue
      waiting.delete(visit)
      inside.add(visit)
      Deferred.doneUnsafe(visit.entered, Effect.void)
    }
  }

  const come = (account: string) =>
    Effect.sync((): Visit => {
      const visit = { account, entered: Deferred.makeUnsafe<void>() }
      waiting.add(visit)
      letIn()
      return visit
    })

  const go = (visit: Visit) =>
    Effect.sync(() => {
      waiting.delete(visit)
      if (inside.delete(visit)) letIn()
    })

  return {
    enter: (account, otherwise) =>
      Effect.flatMap(Effect.acquireRelease(come(account), go), (visit) =>
        Effect.timeoutOrElse(Deferred.await(visit.entered), {
          duration: options.patience,
          orElse: () => Effect.andThen(go(visit), otherwise)
        })
      )
  }
}

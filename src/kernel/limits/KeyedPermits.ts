/** Permits that keys, such as accounts, share. Their number is limited in total and per key, so that no key takes them all. */
import { Deferred, type Duration, Effect, type Scope } from "effect"

export interface Options {
  /** Permits of all keys together. */
  readonly total: number
  readonly perKey: number
  /** `true`: a key gets its second and further permits only while fewer than half of `total` are in use. */
  readonly reservesHalf?: boolean
  /** The longest wait for a permit. */
  readonly patience: Duration.Input
}

export interface KeyedPermits {
  /** Takes a permit until the scope closes, or runs `otherwise` when none is free within `patience`. */
  readonly take: <E>(key: string, otherwise: Effect.Effect<never, E>) => Effect.Effect<void, E, Scope.Scope>
  /** Runs `effect` with a permit, or `otherwise` when none is free within `patience`. */
  readonly withPermit: <A, E, R, E2>(
    key: string,
    effect: Effect.Effect<A, E, R>,
    otherwise: Effect.Effect<never, E2>
  ) => Effect.Effect<A, E | E2, R>
}

interface Request {
  readonly key: string
  readonly granted: Deferred.Deferred<void>
  isGranted: boolean
}

/** Requests of one key are served in order. A key that returns a permit goes behind the other waiting keys. */
export const make = (options: Options): KeyedPermits => {
  const permits = new Map<string, number>()
  /** Per key, never empty. The key to serve first comes first. */
  const waiting = new Map<string, Set<Request>>()
  let used = 0

  const canGrant = (key: string): boolean => {
    const own = permits.get(key) ?? 0
    if (own >= options.perKey || used >= options.total) return false
    return own === 0 || options.reservesHalf !== true || 2 * used < options.total
  }

  const count = (key: string, change: 1 | -1) => {
    const own = (permits.get(key) ?? 0) + change
    used += change
    if (own === 0) permits.delete(key)
    else permits.set(key, own)
  }

  const stopWaiting = (request: Request) => {
    const requests = waiting.get(request.key)
    if (requests?.delete(request) === true && requests.size === 0) waiting.delete(request.key)
  }

  const grantAll = () => {
    for (const [key, requests] of waiting) {
      for (const request of requests) {
        if (!canGrant(key)) break
        stopWaiting(request)
        request.isGranted = true
        count(key, 1)
        Deferred.doneUnsafe(request.granted, Effect.void)
      }
    }
  }

  const request = (key: string) =>
    Effect.sync((): Request => {
      const made: Request = { key, granted: Deferred.makeUnsafe<void>(), isGranted: false }
      const requests = waiting.get(key) ?? new Set()
      waiting.set(key, requests.add(made))
      grantAll()
      return made
    })

  const release = (request: Request) =>
    Effect.sync(() => {
      stopWaiting(request)
      if (!request.isGranted) return
      request.isGranted = false
      count(request.key, -1)
      const requests = waiting.get(request.key)
      if (requests !== undefined) {
        waiting.delete(request.key)
        waiting.set(request.key, requests)
      }
      grantAll()
    })

  const granted = <E>(request: Request, otherwise: Effect.Effect<never, E>): Effect.Effect<void, E> =>
    request.isGranted
      ? Effect.void
      : Effect.timeoutOrElse(Deferred.await(request.granted), {
          duration: options.patience,
          orElse: () => Effect.andThen(release(request), otherwise)
        })

  return {
    take: (key, otherwise) =>
      Effect.flatMap(Effect.acquireRelease(request(key), release), (request) => granted(request, otherwise)),
    withPermit: (key, effect, otherwise) =>
      Effect.acquireUseRelease(
        request(key),
        (request) => Effect.andThen(granted(request, otherwise), effect),
        release
      )
  }
}

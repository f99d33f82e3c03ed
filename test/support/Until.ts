/**
 * Waits for facts, in real time whatever clock the test has. A wait that does not end fails after 5 s, and tells what it
 * waited for and the last state that it saw.
 */
import { setImmediate, setTimeout } from "node:timers"
import { Effect, Option, Stream } from "effect"

const defaultLimitMs = 5_000

export interface Limit {
  /** Real time in ms; 5 s by default. A longer limit needs a reason at the call, or a name. */
  readonly limitMs?: number
}

/** For what other processes do while the machine is busy: servers that start, nodes that find each other, work of a server. */
export const processes: Limit = { limitMs: 40_000 }

/** Characters of the last state in a message. */
const most = 2_000

const plain = (_: string, value: unknown): unknown => {
  if (typeof value === "bigint") return `${value}n`
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value instanceof Error ? String(value) : value
}

/** A state as JSON, shortened. */
export const textOf = (state: unknown): string => {
  const text = JSON.stringify(state, plain) ?? String(state)
  return text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text
}

/** Waits for an effect that may never end. `last` returns the state that the message shows. */
export const within = <A, E, R>(
  what: string,
  effect: Effect.Effect<A, E, R>,
  last: () => unknown,
  { limitMs = defaultLimitMs }: Limit = {}
): Effect.Effect<A, E, R> =>
  Effect.raceFirst(
    effect,
    Effect.callback<never>((resume) => {
      const timer = setTimeout(
        () => resume(Effect.die(new Error(`Waited ${limitMs} ms for ${what}. Last seen: ${textOf(last())}`))),
        limitMs
      )
      return Effect.sync(() => clearTimeout(timer))
    })
  )

const pause = (ms: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (ms === 0) {
      setImmediate(() => resume(Effect.void))
      return
    }
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })

const lookUntil = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  isSo: (state: A) => boolean,
  pauseAfter: (looks: number) => number,
  limit: Limit | undefined
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let last: unknown = "nothing"
    const looking = Effect.gen(function* () {
      for (let looks = 0; ; looks++) {
        const state = yield* look
        if (isSo(state)) return state
        last = state
        yield* pause(pauseAfter(looks))
      }
    })
    return within(what, looking, () => last, limit)
  })

/** ms. At first every turn, because most facts of one process take no time; later the machine is left to what is awaited. */
const afterTurn = (looks: number) => (looks < 200 ? 0 : Math.min(2 * 1.1 ** (looks - 200), 50))

/** ms. Polls occupy a small machine. */
const afterPoll = (looks: number) => Math.min(20 * 1.5 ** looks, 80)

/** Looks at a state of this process until it satisfies the condition, and returns it. */
export const until = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  isSo: (state: A) => boolean,
  limit?: Limit
): Effect.Effect<A, E, R> => lookUntil(what, look, isSo, afterTurn, limit)

/** Looks until the condition holds. The message shows `state`. */
export const holds = (
  what: string,
  isSo: () => boolean,
  state: () => unknown = isSo,
  limit?: Limit
): Effect.Effect<void> =>
  until(
    what,
    Effect.sync(() => (isSo() ? holding : { state: state() })),
    (seen) => seen === holding,
    limit
  ).pipe(Effect.asVoid)

const holding = { state: null }

/** Polls another process, or a disk, until the state satisfies the condition, and returns it. */
export const polled = <A, E, R>(
  what: string,
  look: Effect.Effect<A, E, R>,
  isSo: (state: A) => boolean,
  limit?: Limit
): Effect.Effect<A, E, R> => lookUntil(what, look, isSo, afterPoll, limit)

/** Polls until the call does not fail, and returns its result. The message shows the last failure. */
export const answers = <A>(ask: () => Promise<A>, limit?: Limit): Effect.Effect<A> => {
  const asked = Effect.promise(() =>
    ask().then(
      (answer) => ({ answer }) as const,
      (failure: unknown) => ({ failure }) as const
    )
  )
  return polled("an answer", asked, (got) => "answer" in got, limit).pipe(
    Effect.flatMap((got) => ("answer" in got ? Effect.succeed(got.answer) : Effect.never))
  )
}

/** Waits for the first element that satisfies the condition, and returns it. */
export const first = <A, E, R>(
  what: string,
  states: Stream.Stream<A, E, R>,
  isSo: (state: A) => boolean,
  limit?: Limit
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let last: unknown = "nothing"
    const found = states.pipe(
      Stream.filter((state) => {
        last = state
        return isSo(state)
      }),
      Stream.runHead,
      Effect.map(Option.getOrThrow)
    )
    return within(what, found, () => last, limit)
  })

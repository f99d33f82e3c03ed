/** Waits for a fact that only asking again can tell. By real time, whatever clock the test runs by. */
import { setTimeout as delay } from "node:timers/promises"
import { Effect } from "effect"

/** Between two questions: longer each time, as many that ask at once would else be all that a small machine has to do. */
const pauses = { firstMs: 20, factor: 1.5, longestMs: 200 }

/** Asks until it gets an answer; dies of the last refusal after `limitMs`. */
export const answers = <A>(ask: () => Promise<A>, limitMs = 20_000): Effect.Effect<A> =>
  Effect.promise(async (signal) => {
    const began = performance.now()
    let pauseMs = pauses.firstMs
    for (;;) {
      try {
        return await ask()
      } catch (cause) {
        signal.throwIfAborted()
        if (performance.now() - began > limitMs) throw new Error(`No answer in ${limitMs} ms`, { cause })
        await delay(pauseMs)
        pauseMs = Math.min(pauseMs * pauses.factor, pauses.longestMs)
      }
    }
  })

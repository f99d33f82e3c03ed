/** Waits for a fact that only asking again can tell. By real time, whatever clock the test runs by. */
import { setTimeout as delay } from "node:timers/promises"
import { Effect } from "effect"

/** Asks until it gets an answer; dies of the last refusal after `limitMs`. */
export const answers = <A>(ask: () => Promise<A>, limitMs = 20_000): Effect.Effect<A> =>
  Effect.promise(async (signal) => {
    const began = performance.now()
    for (;;) {
      try {
        return await ask()
      } catch (cause) {
        signal.throwIfAborted()
        if (performance.now() - began > limitMs) throw new Error(`No answer in ${limitMs} ms`, { cause })
        await delay(20)
      }
    }
  })

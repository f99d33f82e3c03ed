/** Polls for a fact in real time, whatever clock the test uses. */
import { setTimeout as delay } from "node:timers/promises"
import { Effect } from "effect"

/** The pause between two polls grows, because many polling tests would occupy a small machine. */
const pauses = { firstMs: 20, factor: 1.5, longestMs: 80 }

/** Polls until there is a result. Dies with the last failure after `limitMs`. */
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

/** The load: a fixed number of operations in flight, with the latency of each. */
import type { Measured } from "./protocol.ts"

const payloadBytes = 300

const prompt =
  "A lighthouse on a cliff at dusk, seen from the sea: long exposure, 35 mm, warm light in the windows, gulls above the " +
  "breakers, a small boat to the left. Keep the horizon level, leave the sky empty for a title, avoid lens flare and " +
  "text. Sixteen by nine, two variants, seed 4711, guidance 7.5."

/** A submission with 300 bytes of JSON. */
export interface Payload {
  readonly id: string
  readonly prompt: string
}

export const payload = (id: string): Payload => {
  const without = JSON.stringify({ id, prompt: "" }).length
  return { id, prompt: prompt.padEnd(payloadBytes, ".").slice(0, payloadBytes - without) }
}

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/**
 * Keeps `inFlight` operations running for `seconds` and ends when all are complete. The elapsed time includes `last`, a final
 * wait that belongs to the work.
 */
export const closedLoop = async (
  inFlight: number,
  seconds: number,
  operation: () => Promise<unknown>,
  last: () => Promise<unknown> = () => Promise.resolve()
): Promise<Measured> => {
  const latencies: Array<number> = []
  const started = performance.now()
  let until = started + seconds * 1000

  const lane = async (): Promise<void> => {
    for (let from = performance.now(); from < until;) {
      // oxlint-disable-next-line no-await-in-loop -- a lane has one operation in flight
      await operation()
      const now = performance.now()
      latencies.push(now - from)
      from = now
    }
  }
  const lanes = Array.from({ length: inFlight }, () =>
    lane().catch((error: unknown) => {
      until = 0
      throw error
    })
  )
  const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === "rejected")
  if (failed !== undefined) throw failed.reason
  await last()

  const elapsedMs = performance.now() - started
  const sorted = Float64Array.from(latencies).sort()
  return {
    operations: sorted.length,
    elapsedMs,
    latencyMs: { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
  }
}

type Submit = (payload: Payload) => Promise<unknown>

/** Submitted but not completed operations, by the id in the payload, because a completion may overtake the submit's answer. */
export class Pending {
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>()
  #next = 0

  /** Submits a new payload and returns after the answer. */
  async accepted(submit: Submit): Promise<void> {
    await submit(this.#register().payload)
  }

  /** Submits a new payload and returns after its answer and completion. */
  async completed(submit: Submit): Promise<void> {
    const { completed, payload } = this.#register()
    await Promise.all([submit(payload), completed])
  }

  complete(id: string): void {
    this.#waiting.get(id)?.resolve()
    this.#waiting.delete(id)
  }

  /** Waits until all submissions so far are complete. */
  async drained(): Promise<void> {
    await Promise.all(Array.from(this.#waiting.values(), ({ promise }) => promise))
  }

  #register() {
    const id = String(this.#next++)
    const waiting = Promise.withResolvers<void>()
    this.#waiting.set(id, waiting)
    return { payload: payload(id), completed: waiting.promise }
  }
}

import type { Http } from "./Http.ts"
import { iterate } from "./Iterating.ts"
import { type RunOptions, run } from "./Run.ts"
import type { CallScope } from "./Scope.ts"
import { randomKey } from "./Submitting.ts"

export interface BatchOptions extends Omit<RunOptions, "idempotencyKey"> {
  /**
   * Names the batch: for 24 hours the same call with the same key goes on, after a crash or when the batch was left. So requests of
   * such a batch are not cancelled when it is left, unless `cancelOnAbort` is set. Default: a random one.
   */
  readonly key?: string | undefined
  /** How many inputs run at once. Default: 8. */
  readonly concurrency?: number | undefined
}

export type BatchItem<Output> =
  | { readonly index: number; readonly output: Output }
  | { readonly index: number; readonly error: unknown }

/** In place of an index: the next input is being read. */
const reading = -1

/** Runs a model for each input. An input that fails is an item with its error, and does not end the others. */
export const batch = <Output>(
  http: Http,
  model: string,
  inputs: Iterable<unknown> | AsyncIterable<unknown>,
  options: BatchOptions
): AsyncIterableIterator<BatchItem<Output>, undefined> =>
  iterate(http, options, async function* (scope: CallScope) {
    const { cancelOnAbort = options.key === undefined, key = randomKey() } = options
    const most = Math.max(1, options.concurrency ?? 8)
    const { signal } = scope
    const iterator =
      Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]()
    const running = new Map<number, Promise<BatchItem<Output> | undefined>>()
    const begin = (index: number, input: unknown): Promise<BatchItem<Output>> =>
      http
        .call({ signal }, (each) =>
          run(http, model, input, { ...options, cancelOnAbort, idempotencyKey: `${key}-${index}` }, each)
        )
        .then(
          (output) => ({ index, output: output as Output }),
          (error: unknown) => ({ index, error })
        )
    let next = 0
    let isOver = false
    const read = async (): Promise<undefined> => {
      const { done, value } = await iterator.next()
      running.delete(reading)
      if (done || signal.aborted) isOver = true
      else running.set(next, begin(next++, value))
    }
    try {
      while (true) {
        // Items do not wait for it, because the source may be slow.
        if (!isOver && !running.has(reading) && running.size < most) running.set(reading, read())
        if (running.size === 0) return
        const item = await scope.race(Promise.race(running.values()))
        if (item === undefined) continue
        running.delete(item.index)
        yield item
      }
    } finally {
      // Those that still run are cancelled, unless the caller left them alone.
      scope.abort(new DOMException("The batch has ended", "AbortError"))
      const isReading = running.delete(reading)
      const closed = (async () => iterator.return?.())()
      // A source that is being read may close only after that.
      if (isReading) closed.catch(() => {})
      await Promise.all([...running.values(), !isReading && closed])
    }
  })

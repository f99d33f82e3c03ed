import type { CurrentStatus, ModelTypes, SubmitOptions } from "@inferlog/client"
import { useCallback, useRef } from "react"
import { CancellableRequest } from "./CancellableRequest.ts"
import { useInferlog } from "./Provider.ts"
import { type Run, useTask } from "./Task.ts"

export interface RequestOptions extends Omit<SubmitOptions, "idempotencyKey" | "signal" | "timeout"> {
  /** Whether the request is cancelled when the component unmounts or another run begins. Default: yes. */
  readonly cancelOnAbort?: boolean | undefined
}

export interface RequestState<Output> {
  /** `failed`: there is an `error` in place of an `output`. */
  readonly phase: "idle" | "running" | "completed" | "failed"
  /** The last status, with the place in the queue. */
  readonly status: CurrentStatus | undefined
  readonly output: Output | undefined
  readonly error: unknown
}

export interface UseRequest<Types extends ModelTypes> extends RequestState<Types["output"]> {
  /** Submits a request. Leaves an earlier one that has not ended. */
  readonly run: (input: Types["input"]) => void
  /** Asks the server to cancel the request. It then ends as `failed`, or as `completed` if that came first. */
  readonly cancel: () => void
  /** Leaves and forgets the request. */
  readonly reset: () => void
}

const idle = { phase: "idle", status: undefined, output: undefined, error: undefined } as const

/**
 * Runs a model, and follows the request. `Types`: of the model, as `inferlog codegen` writes them:
 * `useRequest<Models["vision/ocr"]>("vision/ocr")`.
 */
export const useRequest = <Types extends ModelTypes = ModelTypes>(
  model: string,
  { cancelOnAbort = true, ...options }: RequestOptions = {}
): UseRequest<Types> => {
  type State = RequestState<Types["output"]>
  const client = useInferlog()
  const current = useRef<CancellableRequest | null>(null)

  const work = async (input: Types["input"], { set, signal }: Run<State>) => {
    const cancellable = new CancellableRequest(client, cancelOnAbort ? signal : undefined)
    current.current = cancellable
    set({ phase: "running" })
    try {
      // Without the signal: the id is needed to cancel what has been sent.
      const request = await client.submit(model, input as Readonly<Record<string, unknown>>, options)
      cancellable.accept(request)
      for await (const status of client.subscribe(request, { signal })) set({ status })
      cancellable.end()
      const { output } = await client.result(request, { signal })
      set({ phase: "completed", output })
    } catch (error) {
      set({ phase: "failed", error })
    }
  }
  const { begin, reset, state } = useTask<State, Types["input"]>(idle, work)
  return { ...state, run: begin, cancel: useCallback(() => current.current?.cancel(), []), reset }
}

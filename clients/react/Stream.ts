import type { ChunkOf, ModelTypes, OutputEnd, Wire } from "@inferlog/client"
import { useCallback, useRef } from "react"
import { CancellableRequest } from "./CancellableRequest.ts"
import { useInferlog } from "./Provider.ts"
import type { RequestOptions } from "./Request.ts"
import { type Run, useTask } from "./Task.ts"

/** The least time between two renderings, ms: models may make thousands of chunks. */
const frame = 16

export interface StreamState<Chunk> {
  /** `failed`: there is an `error`, beside what came before. */
  readonly phase: "idle" | "running" | "completed" | "failed"
  /** The request, once it has been accepted. */
  readonly request: Wire.CreatedRequest | undefined
  /** The chunks so far; the model's `stream` says how they add up. */
  readonly chunks: ReadonlyArray<Chunk>
  /** Those of them that are texts, joined. */
  readonly text: string
  /** From 0 to 1, if the run reports it. */
  readonly progress: number | undefined
  /** How the request ended, and what it cost. */
  readonly end: OutputEnd | undefined
  readonly error: unknown
}

export interface UseStream<Types extends ModelTypes> extends StreamState<ChunkOf<Types>> {
  /** Submits a request. Leaves an earlier one that has not ended. */
  readonly run: (input: Types["input"]) => void
  /** Asks the server to cancel the request. What was made by then may be kept. */
  readonly cancel: () => void
  /** Leaves and forgets the request. */
  readonly reset: () => void
}

const idle = {
  phase: "idle",
  request: undefined,
  chunks: [],
  text: "",
  progress: undefined,
  end: undefined,
  error: undefined
} as const

/** Runs a model, and gives its output while it is made. Goes on behind the last chunk when a connection or a token ends. */
export const useStream = <Types extends ModelTypes = ModelTypes>(
  model: string,
  { cancelOnAbort = true, ...options }: RequestOptions = {}
): UseStream<Types> => {
  type Chunk = ChunkOf<Types>
  type State = StreamState<Chunk>
  const client = useInferlog()
  const current = useRef<CancellableRequest | null>(null)

  const work = async (input: Types["input"], { set, signal }: Run<State>) => {
    const cancellable = new CancellableRequest(client, cancelOnAbort ? signal : undefined)
    current.current = cancellable
    let chunks: Array<Chunk> = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = () => {
      clearTimeout(timer)
      timer = undefined
      set({ chunks: [...chunks], text: chunks.filter((chunk) => typeof chunk === "string").join("") })
    }
    set({ phase: "running" })
    // Without the signal: the id is needed to cancel what has been sent.
    const events = client.stream(model, input as Readonly<Record<string, unknown>>, options)
    let request: Wire.CreatedRequest | undefined
    signal.addEventListener("abort", () => {
      if (request !== undefined) void events.return?.()
    })
    try {
      for await (const event of events) {
        if (event.type === "request") {
          request = event.data
          cancellable.accept(request)
          if (signal.aborted) return
          set({ request })
        } else if (event.type === "chunk") {
          chunks.push(event.data as Chunk)
          timer ??= setTimeout(show, frame)
        } else if (event.type === "restart") {
          chunks = []
          timer ??= setTimeout(show, frame)
        } else if (event.type === "progress") {
          set({ progress: event.data.progress })
        } else {
          cancellable.end()
          show()
          set({ end: event.data })
          const { outcome } = event.data
          // Throws the error of a request without an output, also of one that is completed.
          if (outcome !== "succeeded" && request) await client.result(request, { signal })
          set({ phase: "completed" })
        }
      }
    } catch (error) {
      show()
      set({ phase: "failed", error })
    } finally {
      clearTimeout(timer)
    }
  }
  const { begin, reset, state } = useTask<State, Types["input"]>(idle, work)
  return { ...state, run: begin, cancel: useCallback(() => current.current?.cancel(), []), reset }
}

import { useCallback, useEffect, useRef, useState } from "react"

/** What a run of a task has. */
export interface Run<State> {
  /** Aborted when the component unmounts or another run begins. */
  readonly signal: AbortSignal
  /** Changes the state, as long as the run is the current one of a mounted component. */
  readonly set: (change: Partial<State>) => void
}

export interface Task<State, Input> {
  readonly state: State
  /** Ends an earlier run, and begins another. */
  readonly begin: (input: Input) => void
  /** Ends the run, and forgets it. */
  readonly reset: () => void
}

/**
 * One run at a time of something that takes a while. It ends when the component unmounts.
 *
 * @param idle the state without a run.
 * @param work settles when the run ends. It may be another function with each rendering.
 */
export const useTask = <State extends object, Input>(
  idle: State,
  work: (input: Input, run: Run<State>) => Promise<void>
): Task<State, Input> => {
  const [state, setState] = useState(idle)
  const first = useRef(idle)
  const latest = useRef(work)
  const current = useRef<AbortController | null>(null)
  useEffect(() => {
    latest.current = work
  })

  const leave = useCallback(() => {
    current.current?.abort(
      new DOMException("The component has unmounted, or begun another run", "AbortError")
    )
    current.current = null
  }, [])
  useEffect(() => leave, [leave])

  const reset = useCallback(() => {
    leave()
    setState(first.current)
  }, [leave])

  const begin = useCallback(
    (input: Input) => {
      reset()
      const controller = new AbortController()
      const { signal } = controller
      current.current = controller
      const set = (change: Partial<State>) => {
        if (!signal.aborted) setState((state) => ({ ...state, ...change }))
      }
      void latest.current(input, { signal, set })
    },
    [reset]
  )

  return { state, begin, reset }
}

/** A pass over the log that the server runs for this view. It ends with the view. */
import { useCallback, useEffect, useRef, useState } from "react"
import { lines } from "#console/api/Lines.ts"

export interface Progress {
  readonly elapsedMs: number
  /** Events, or commits of a log on NATS; `null` until it is known. */
  readonly done: number | null
  readonly total: number | null
}

export type Proof =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly progress: Progress }
  /** `report`: the JSON that the command prints; `null` when its lines came one by one. `message`: its warnings, and what failed. */
  | {
      readonly state: "ended"
      readonly isOk: boolean
      readonly report: unknown
      readonly message: string
    }
  | { readonly state: "failed"; readonly error: unknown }

interface Line {
  readonly type: "running" | "line" | "text" | "result"
  readonly elapsedMs?: number
  readonly done?: number
  readonly total?: number | null
  readonly line?: unknown
  readonly ok?: boolean
  readonly report?: unknown
  readonly message?: string
}

const begun: Progress = { elapsedMs: 0, done: null, total: null }

const brokenOff = new Error("The server broke off before the result. Start it again.")

/** @param onLine gets the parts of an output that is sent as it comes. */
export const useProof = (onLine?: (line: unknown) => void) => {
  const [proof, setProof] = useState<Proof>({ state: "idle" })
  const running = useRef<AbortController | null>(null)
  const latest = useRef(onLine)
  useEffect(() => {
    latest.current = onLine
  })
  useEffect(() => () => running.current?.abort(), [])

  const cancel = useCallback(() => {
    running.current?.abort()
    running.current = null
    setProof({ state: "idle" })
  }, [])

  /** Resolves when the pass is over: to whether it came to its end, rather than being stopped. */
  const start = useCallback(async (path: string): Promise<boolean> => {
    running.current?.abort()
    const own = new AbortController()
    running.current = own
    setProof({ state: "running", progress: begun })
    let ended: Proof = { state: "failed", error: brokenOff }
    try {
      for await (const value of lines(path, { signal: own.signal })) {
        const part = value as Line
        if (part.type === "line") latest.current?.(part.line)
        if (part.type === "running") {
          const { done = null, elapsedMs = 0, total = null } = part
          setProof({ state: "running", progress: { elapsedMs, done, total } })
        }
        if (part.type === "result") {
          const { message = "", ok = false, report = null } = part
          ended = { state: "ended", isOk: ok, report, message }
        }
      }
    } catch (error) {
      ended = { state: "failed", error }
    }
    if (own.signal.aborted) return false
    running.current = null
    setProof(ended)
    return true
  }, [])

  return { proof, start, cancel, isRunning: proof.state === "running" }
}

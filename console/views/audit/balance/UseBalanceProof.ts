/** Reads the proof of a balance, and checks it as it comes. */
import { useCallback, useEffect, useRef, useState } from "react"
import { queryText } from "#console/api/Client.ts"
import { lines } from "#console/api/Lines.ts"
import * as Chain from "../chain/Chain.ts"
import * as BalanceCheck from "./BalanceCheck.ts"

/** What the server says at the end. Amounts are USD. */
type Result =
  | {
      readonly ok: true
      readonly events: number
      readonly balance: string
      readonly available: string
      readonly held: string
    }
  | {
      readonly ok: false
      readonly position: string | null
      readonly rule: string | null
      readonly reason: string
    }

export interface BalanceProof {
  readonly state: "idle" | "running" | "ended"
  /** Entries that the account had at the beginning. */
  readonly expected: number
  readonly entries: number
  readonly events: number
  /** The last events, newest first. */
  readonly shown: ReadonlyArray<BalanceCheck.ProofEvent>
  readonly checked: BalanceCheck.Checked
  readonly isHashed: boolean
  readonly result: Result | null
  readonly error: unknown
}

type Line =
  | BalanceCheck.ProofEvent
  | { readonly type: "start"; readonly entries: number }
  | ({ readonly type: "result" } & Result)

const idle: BalanceProof = {
  state: "idle",
  expected: 0,
  entries: 0,
  events: 0,
  shown: [],
  checked: { hashed: 0, problem: null },
  isHashed: true,
  result: null,
  error: null
}

/** Events in memory: the last ones. */
export const most = 10_000

/** Time between two drawings, ms. */
const pauseMs = 200

const brokenOff = new Error("The server broke off before the result. Start it again.")

export const useBalanceProof = () => {
  const [proof, setProof] = useState(idle)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const cancel = useCallback(() => {
    running.current?.abort()
    setProof(idle)
  }, [])

  const start = useCallback(async (account: string, until: string | undefined) => {
    running.current?.abort()
    const own = new AbortController()
    running.current = own
    const isHashed = Chain.canHash()
    const check = BalanceCheck.make(isHashed)
    let shown: Array<BalanceCheck.ProofEvent> = []
    let now: BalanceProof = { ...idle, state: "running", isHashed }
    let drawn = 0
    const draw = () => {
      drawn = performance.now()
      setProof({ ...now, shown: shown.slice(-most).toReversed() })
    }
    draw()
    const path = `/api/admin/v1/accounts/${encodeURIComponent(account)}/balance/proof${queryText({ until })}`
    try {
      for await (const value of lines(path, { signal: own.signal })) {
        const line = value as Line
        if (line.type === "start") now = { ...now, expected: line.entries }
        else if (line.type === "result") now = { ...now, result: line }
        else {
          shown.push(line)
          if (shown.length >= 2 * most) shown = shown.slice(-most)
          const checked = await check.pass(line)
          now = {
            ...now,
            events: now.events + 1,
            entries: now.entries + line.entries.length,
            // The first problem stays.
            checked: { ...checked, problem: now.checked.problem ?? checked.problem }
          }
        }
        if (performance.now() - drawn > pauseMs) draw()
      }
      if (now.result === null) now = { ...now, error: brokenOff }
    } catch (error) {
      now = { ...now, error }
    }
    if (own.signal.aborted) return
    now = { ...now, state: "ended" }
    draw()
  }, [])

  return { proof, start, cancel }
}

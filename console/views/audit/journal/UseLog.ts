/** The events of the log that the journal shows: a window of bounded size over it, newest first. */
import { useCallback, useEffect, useReducer, useRef } from "react"
import type { LogEvent } from "../chain/LogEvent.ts"
import type { Choice } from "./JournalSearch.ts"
import * as LogPages from "./LogPages.ts"

/** Events in memory. */
const most = 5_000

/** New events that wait while the reader looks at older ones. */
const mostWaiting = 1_000

interface State {
  readonly events: ReadonlyArray<LogEvent>
  /** New events that are not shown yet, newest first. */
  readonly waiting: ReadonlyArray<LogEvent>
  readonly status: "loading" | "ready" | "older"
  readonly error: unknown
  readonly hasOlder: boolean
  /** Whether newer events were given up for older ones, or came faster than they were read. */
  readonly isCut: boolean
}

type Change =
  | { readonly type: "begin" }
  | { readonly type: "older" }
  | { readonly type: "page"; readonly events: ReadonlyArray<LogEvent> }
  | { readonly type: "new"; readonly events: ReadonlyArray<LogEvent>; readonly isShown: boolean }
  | { readonly type: "show" }
  | { readonly type: "failed"; readonly error: unknown }

const empty: State = {
  events: [],
  waiting: [],
  status: "loading",
  error: null,
  hasOlder: true,
  isCut: false
}

const newest = (events: ReadonlyArray<LogEvent>): Pick<State, "events" | "hasOlder"> =>
  events.length > most ? { events: events.slice(0, most), hasOlder: true } : { events, hasOlder: false }

const reduce = (state: State, change: Change): State => {
  switch (change.type) {
    case "begin":
      return empty
    case "older":
      return { ...state, status: "older", error: null }
    case "failed":
      return { ...state, status: "ready", error: change.error }
    case "page": {
      const events = [...state.events, ...change.events]
      return {
        ...state,
        events: events.slice(-most),
        status: "ready",
        hasOlder: change.events.length >= LogPages.pageSize,
        isCut: state.isCut || events.length > most
      }
    }
    case "new": {
      // While the first page is read, they are in it, or are asked for after it.
      if (state.isCut || state.status === "loading") return state
      if (change.isShown) {
        const next = newest([...change.events, ...state.waiting, ...state.events])
        return { ...state, ...next, hasOlder: next.hasOlder || state.hasOlder, waiting: [] }
      }
      const waiting = [...change.events, ...state.waiting]
      return waiting.length > mostWaiting ? { ...state, waiting: [], isCut: true } : { ...state, waiting }
    }
    case "show":
      return reduce(state, { type: "new", events: [], isShown: true })
  }
}

/** New events that come together are shown together, ms. */
const pauseMs = 250

/** The longest pause between two tries to reconnect, ms. */
const longestPauseMs = 15_000

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** @param choice stays the same object while it is the same choice. */
export const useLog = (choice: Choice, isLive: boolean) => {
  const [state, dispatch] = useReducer(reduce, empty)
  const isAtTop = useRef(true)
  /** The position after which new events are asked for. */
  const head = useRef("0")
  const reading = useRef<AbortController | null>(null)
  const follows = isLive && state.status !== "loading" && state.error === null && !state.isCut

  const read = useCallback(
    async (before: string | null) => {
      reading.current?.abort()
      const own = new AbortController()
      reading.current = own
      dispatch({ type: before === null ? "begin" : "older" })
      try {
        const events = await LogPages.read(choice, before, own.signal)
        if (own.signal.aborted) return
        if (before === null) head.current = events[0]?.position ?? choice.after ?? "0"
        dispatch({ type: "page", events })
      } catch (error) {
        if (!own.signal.aborted) dispatch({ type: "failed", error })
      }
    },
    [choice]
  )

  useEffect(() => {
    void read(null)
    return () => reading.current?.abort()
  }, [read])

  useEffect(() => {
    if (!follows) return
    const ending = new AbortController()
    const { signal } = ending
    let come: Array<LogEvent> = []
    const pass = () => {
      if (come.length === 0) return
      dispatch({ type: "new", events: come.toReversed(), isShown: isAtTop.current })
      come = []
    }
    const timer = setInterval(pass, pauseMs)
    const follow = async () => {
      let pause = 500
      while (!signal.aborted) {
        try {
          for await (const event of LogPages.followed(choice, head.current, signal)) {
            head.current = event.position
            come.push(event)
            pause = 500
          }
        } catch {
          // The next try goes on after the last event.
        }
        await wait(pause, signal)
        pause = Math.min(longestPauseMs, pause * 2)
      }
    }
    void follow()
    return () => {
      ending.abort()
      clearInterval(timer)
      // The next try begins after them.
      pass()
    }
  }, [choice, follows])

  const older = useCallback(() => {
    const last = state.events.at(-1)
    if (last !== undefined && state.hasOlder && state.status === "ready" && state.error === null) {
      void read(last.position)
    }
  }, [read, state])

  return {
    ...state,
    isFollowing: follows,
    older,
    reload: () => read(null),
    retry: () => read(state.events.at(-1)?.position ?? null),
    show: () => dispatch({ type: "show" }),
    onTop: (isTop: boolean) => {
      isAtTop.current = isTop
      if (isTop && state.waiting.length > 0) dispatch({ type: "show" })
    }
  }
}

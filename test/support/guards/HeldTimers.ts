/**
 * Holds real timers, so that no test can wait for one: a timer of 100 ms or more never runs what it was set for. A test that
 * needs one does not end, on a fast machine and on a busy one. A test that does not need the timers that the program sets in
 * the background does not notice.
 *
 * All ways to set a timer in Node end in one class: `setTimeout` and `setInterval`, global or imported, `node:timers/promises`,
 * `AbortSignal.timeout`, and the timeouts of sockets and servers.
 */
import { Fiber } from "effect"

/** Timers as long as this are held, ms. */
export const longestMs = 100

export interface HeldTimer {
  readonly ms: number
  /** Where it was set. */
  readonly site: string
  /** When it would have run, by `performance.now()`. */
  readonly dueAt: number
}

export interface Frame {
  readonly scriptName: string
  readonly lineNumber: number
}

const isOfNode = ({ scriptName }: Frame) => scriptName.startsWith("node:") || scriptName === ""

/** What limits tests by timers of its own: the runner, and the helper for waits. */
const limiters = ["/node_modules/vitest/", "/node_modules/@vitest/", "/test/support/Until.ts"]

/** Whether the timer limits a test, instead of being what the test waits for. */
export const isLimit = (frames: ReadonlyArray<Frame>): boolean => {
  const name = frames.find((frame) => !isOfNode(frame))?.scriptName.replaceAll("\\", "/") ?? ""
  return limiters.some((limiter) => name.includes(limiter))
}

/** The functions that the running fiber is in, the innermost first: an effect that sleeps is not in a stack. */
const functionsOf = (frame: Fiber.Fiber<unknown, unknown>["cache"]["stackFrame"]): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (let at = frame; at !== undefined && names.length < 3; at = at.parent) {
    if (!at.name.endsWith("(definition)")) names.push(at.name)
  }
  return names
}

/** Where a timer was set: the nearest line of the repository, else the functions of the fiber, else a line of a package. */
export const siteOf = (frames: ReadonlyArray<Frame>, functions: ReadonlyArray<string>): string => {
  const others = frames.filter((frame) => !isOfNode(frame))
  const own = others.find(({ scriptName }) => !scriptName.includes("node_modules"))
  if (own === undefined && functions.length > 0) return functions.join(" in ")
  const { scriptName, lineNumber } = own ?? others[0] ?? { scriptName: "node", lineNumber: 0 }
  return `${scriptName.replace(/^file:\/\//, "").replace(`${process.cwd()}/`, "")}:${lineNumber}`
}

type Callback = (...args: Array<never>) => unknown

/** Frames to look at: an effect is far from the line that started it. */
const depth = 20

/** The stack of what called `inner`. It becomes text only where it is read, because that takes much longer than to capture it. */
const capturedAbove = (inner: Callback): { readonly stack: string } => {
  const trace = { stack: "" }
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = depth
  Error.captureStackTrace(trace, inner)
  Error.stackTraceLimit = before
  return trace
}

/** The frames of a stack as text. */
export const framesOf = (stack: string): ReadonlyArray<Frame> =>
  [...stack.matchAll(/^ +at (?:.*\()?(.+?):(\d+):\d+\)?$/gm)].map(([, scriptName = "", line]) => ({
    scriptName,
    lineNumber: Number(line)
  }))

interface State {
  /** Called for each timer that would have run; `undefined` while timers run. */
  due?: ((timer: HeldTimer) => void) | undefined
  fromMs: number
  overdue: Array<() => void>
  isInstalled: boolean
}

/** Files that run one after another in one process share Node's class, and so this. */
const state: State = ((globalThis as { [key: symbol]: State | undefined })[
  Symbol.for("inferlog/test/HeldTimers")
] ??= { fromMs: longestMs, overdue: [], isInstalled: false })

const held = (ms: number, run: Callback, setter: Callback): Callback => {
  const trace = capturedAbove(setter)
  const frame = Fiber.getCurrent()?.cache.stackFrame
  let dueAt = performance.now() + ms
  return function (this: unknown, ...args: Array<never>) {
    const { due } = state
    if (due === undefined) return run.apply(this, args)
    const frames = framesOf(trace.stack)
    if (isLimit(frames)) return run.apply(this, args)
    due({ ms, site: siteOf(frames, functionsOf(frame)), dueAt })
    state.overdue.push(() => void run.apply(this, args))
    dueAt += ms
    return undefined
  }
}

/** What Node's own class has for each timer. */
interface NodeTimer {
  readonly _idleTimeout: number
  _onTimeout: Callback | null
}

const key = Symbol("callback")

const install = () => {
  const timer = setTimeout(() => {}, 0)
  const prototype = Object.getPrototypeOf(timer) as object
  clearTimeout(timer)
  const set = function (this: NodeTimer & { [key]: Callback | null }, run: Callback | null) {
    this[key] = run
    if (run === null || state.due === undefined || this._idleTimeout < state.fromMs) return
    this[key] = held(this._idleTimeout, run, set)
  }
  // The constructor assigns this property after it has set the length.
  Object.defineProperty(prototype, "_onTimeout", {
    get(this: { [key]: Callback | null }) {
      return this[key]
    },
    set
  })
  const guarded = setTimeout(() => {}, 0)
  clearTimeout(guarded)
  if (Object.hasOwn(guarded, "_onTimeout")) throw new Error("This Node sets timers in another way.")
  state.isInstalled = true
}

/** From now on, timers of `fromMs` or more are held. Calls `due` where one would have run. */
export const hold = (due: (timer: HeldTimer) => void, fromMs = longestMs): void => {
  if (!state.isInstalled) install()
  state.overdue = []
  state.due = due
  state.fromMs = fromMs
}

/** Lets timers run again, those that are held, too. */
export const release = (): void => {
  state.due = undefined
}

/** Runs what is overdue, after `release`, so that a test that has failed by it can be cleaned up. */
export const runOverdue = (): void => {
  for (const run of state.overdue.splice(0)) run()
}

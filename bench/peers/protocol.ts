/**
 * The protocol of a program that runs another product: one JSON document per line. Stdout starts with `{"ready":true,…}` or
 * `{"unavailable":"the command that installs it"}`, then has one answer for each `{"measure":seconds}` on stdin. The end of
 * stdin, SIGTERM and SIGINT end the program and all processes that it started.
 */
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { parseArgs } from "node:util"

export interface Measured {
  readonly operations: number
  readonly elapsedMs: number
  /** Latency of single operations, ms. */
  readonly latencyMs: { readonly p50: number; readonly p99: number }
}

export interface Peer {
  /** Content of the ready line. `pids` are the product's processes besides this one. */
  readonly ready: { readonly pids: ReadonlyArray<number>; readonly [field: string]: unknown }
  /** Measures for about `seconds`. Absent if the load comes from outside. */
  readonly measure?: (seconds: number) => Promise<Measured>
}

/** The product is not installed; `remedy` is the command that installs it. */
export class Unavailable extends Error {
  readonly remedy: string
  constructor(remedy: string) {
    super(`not installed: ${remedy}`)
    this.remedy = remedy
  }
}

export interface Setting {
  /** `submit`: until accepted durably. `end-to-end`: until a no-op worker has completed it. */
  readonly mode: "submit" | "end-to-end"
  /** Operations in flight at all times. */
  readonly connections: number
}

export const setting = (): Setting => {
  const { values } = parseArgs({ options: { mode: { type: "string" }, connections: { type: "string" } } })
  const { mode } = values
  const connections = Number(values.connections ?? 64)
  if (mode !== "submit" && mode !== "end-to-end") throw new Error("--mode must be submit or end-to-end")
  if (!Number.isInteger(connections) || connections < 1) throw new Error("--connections must be 1 or more")
  return { mode, connections }
}

const graceMs = 30_000

const print = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const remedyOf = (error: unknown): string | null => {
  if (error instanceof Unavailable) return error.remedy
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
    ? "npm ci --ignore-scripts --prefix bench/peers"
    : null
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Limits the wait, because a lost completion must not block the benchmark. */
const within = async <A>(ms: number, work: Promise<A>): Promise<A> => {
  const done = new AbortController()
  const tooLate = delay(ms, undefined, { signal: done.signal }).then(() => {
    throw new Error(`not finished after ${ms} ms`)
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    done.abort()
  }
}

const answer = async ({ measure }: Peer, line: string): Promise<object> => {
  try {
    const message: { measure?: unknown } = JSON.parse(line)
    if (typeof message.measure !== "number" || message.measure <= 0)
      throw new Error('expected {"measure":seconds}')
    if (measure === undefined) throw new Error("this program does not measure itself")
    return await within(message.measure * 1000 + graceMs, measure(message.measure))
  } catch (error) {
    return { error: describe(error) }
  }
}

/**
 * Runs the program. At the end the `resources` that `start` added are released in reverse order, and nothing is printed after
 * that. Do not wait for clients there: a client without its server may never close.
 */
export const run = async (start: (resources: AsyncDisposableStack) => Promise<Peer>): Promise<void> => {
  const resources = new AsyncDisposableStack()

  const say = (line: object): void => {
    if (!resources.disposed) print(line)
  }

  const end = async (code: number): Promise<void> => {
    if (resources.disposed) return
    try {
      await resources.disposeAsync()
    } catch (error) {
      process.stderr.write(`${describe(error)}\n`)
    }
    process.exit(code)
  }

  const fail = (error: unknown): void => {
    const remedy = remedyOf(error)
    say(remedy === null ? { error: describe(error) } : { unavailable: remedy })
    void end(remedy === null ? 1 : 0)
  }

  process.on("uncaughtException", fail)
  process.once("SIGTERM", () => void end(0))
  process.once("SIGINT", () => void end(0))
  const input = createInterface({ input: process.stdin })
  input.once("close", () => void end(0))
  // Created now, to keep lines that arrive while the product starts.
  const lines = input[Symbol.asyncIterator]()

  try {
    const peer = await start(resources)
    say({ ready: true, ...peer.ready })
    for await (const line of lines) say(await answer(peer, line))
  } catch (error) {
    fail(error)
  }
}

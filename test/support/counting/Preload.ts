/**
 * Preloaded into every thread of a server, it counts what the thread does. The process that has forked the server asks for
 * the counts with any message.
 */
import * as path from "node:path"
import { DatabaseSync, StatementSync } from "node:sqlite"
import * as v8 from "node:v8"
import * as workerThreads from "node:worker_threads"
import { Effect } from "effect"
import type { ThreadCounts } from "./ThreadCounts.ts"

type Message =
  | { readonly _tag: "Started" }
  | { readonly _tag: "Asked" }
  | { readonly _tag: "Counted"; readonly counts: ThreadCounts }

let statements = 0

const countCalls = (prototype: object, name: string) => {
  const method: unknown = Reflect.get(prototype, name)
  if (typeof method !== "function") throw new Error(`node:sqlite has no method ${name}`)
  Reflect.set(prototype, name, function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
    statements++
    return Reflect.apply(method, this, args)
  })
}
for (const name of ["run", "get", "all", "iterate"]) countCalls(StatementSync.prototype, name)
countCalls(DatabaseSync.prototype, "exec")

const usedBytes = () => v8.getHeapStatistics().used_heap_size

let profiler = new v8.GCProfiler()
profiler.start()
let used = usedBytes()
let bytes = 0

/** Between two collections the heap grows by what is allocated. */
const allocatedBytes = (): number => {
  for (const { afterGC, beforeGC } of profiler.stop()?.statistics ?? []) {
    bytes += beforeGC.heapStatistics.usedHeapSize - used
    used = afterGC.heapStatistics.usedHeapSize
  }
  const now = usedBytes()
  bytes += now - used
  used = now
  profiler = new v8.GCProfiler()
  profiler.start()
  return bytes
}

const count = (): ThreadCounts => ({
  folder: path.relative(process.cwd(), path.dirname(process.argv[1] ?? "")),
  statements,
  bytes: allocatedBytes(),
  // Fibers are numbered in each thread.
  fibers: Effect.runFork(Effect.void).id
})

const channel = new workerThreads.BroadcastChannel("inferlog/test/counting")
const send = (message: Message) => channel.postMessage(message)

const countMain = () => {
  let workers = 0
  let counted: Array<ThreadCounts> = []
  const answer = () => {
    process.send?.([count(), ...counted])
    counted = []
  }
  process.on("message", () => (workers === 0 ? answer() : send({ _tag: "Asked" })))
  // Being asked does not keep the server alive.
  process.channel?.unref()
  return (message: Message) => {
    if (message._tag === "Started") workers++
    if (message._tag === "Counted" && counted.push(message.counts) === workers) answer()
  }
}

const countWorker = () => {
  send({ _tag: "Started" })
  return (message: Message) => {
    if (message._tag === "Asked") send({ _tag: "Counted", counts: count() })
  }
}

const receive = workerThreads.isMainThread ? countMain() : countWorker()
channel.addEventListener("message", (event) => receive(Reflect.get(event, "data") as Message))
channel.unref()

/**
 * Preloaded into each thread of a profiled program: writes the memory of the thread and the process to a file of its own, as
 * lines of JSON, until the thread ends. The folder is the query of the module's address.
 */
import * as fs from "node:fs"
import * as process from "node:process"
import * as threads from "node:worker_threads"
import type { Sample } from "./MemoryProfile.ts"

const intervalMs = 100

const file = `${decodeURIComponent(new URL(import.meta.url).search.slice(1))}/memory.${process.pid}.${threads.threadId}`

const mappedBytes = (): number => {
  const status = fs.existsSync("/proc/self/status") ? fs.readFileSync("/proc/self/status", "utf8") : ""
  const of = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0)
  return 1024 * (of("RssFile") + of("RssShmem"))
}

setInterval(() => {
  const { external, heapTotal, rss } = process.memoryUsage()
  const at = Number(process.hrtime.bigint() / 1_000n)
  const sample: Sample = { at, rss, heap: heapTotal, buffers: external, mapped: mappedBytes() }
  fs.appendFileSync(file, `${JSON.stringify(sample)}\n`)
}, intervalMs).unref()

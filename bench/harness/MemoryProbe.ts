/**
 * Preloaded into each thread of a profiled program: writes the memory of the thread and the process to a file of its own, as
 * lines of JSON, until the thread ends. The folder is the query of the module's address.
 */
import * as fs from "node:fs"
import * as process from "node:process"
import * as threads from "node:worker_threads"
import type { Sample } from "./MemoryProfile.ts"
import * as ProcessTree from "./ProcessTree.ts"

const intervalMs = 100

const file = `${decodeURIComponent(new URL(import.meta.url).search.slice(1))}/memory.${process.pid}.${threads.threadId}`

setInterval(() => {
  const { external, heapTotal, rss } = process.memoryUsage()
  const mapped = ProcessTree.sizeOf(process.pid, "RssFile") + ProcessTree.sizeOf(process.pid, "RssShmem")
  const at = Number(process.hrtime.bigint() / 1_000n)
  const sample: Sample = { at, rss, heap: heapTotal, buffers: external, mapped }
  fs.appendFileSync(file, `${JSON.stringify(sample)}\n`)
}, intervalMs).unref()

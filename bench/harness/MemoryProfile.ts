/** What the memory of a program is at its peak, from the samples that `MemoryProbe` takes in each of its threads. */
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { Schema } from "effect"
import type { Window } from "./CpuProfile.ts"

/** Bytes. */
const Sample = Schema.Struct({
  /** µs of the monotonic clock. */
  at: Schema.Int,
  /** Resident memory of the process. */
  rss: Schema.Int,
  /** What V8 has reserved for the objects of the thread. */
  heap: Schema.Int,
  /** Buffers of the thread outside of its heap. */
  buffers: Schema.Int,
  /** Resident pages of files and memory that the process shares: programs, libraries, indexes of SQLite's log. */
  mapped: Schema.Int
})
export type Sample = typeof Sample.Type

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Sample))

/** MiB by part, in the order of a report. */
export type Parts = ReadonlyMap<string, number>

/** Flags of Node that make a program write samples into the folder. */
export const flags = (folder: string): ReadonlyArray<string> => [
  `--import=${pathToFileURL(path.join(import.meta.dirname, "MemoryProbe.ts")).href}?${encodeURIComponent(folder)}`
]

const prefix = "memory."

const isSamples = (file: string): boolean => file.startsWith(prefix)

/** Thread 0 is the main one. */
const threadOf = (file: string): number => Number(file.split(".").at(-1))

/** The parts of resident memory when it is greatest within the window, none without samples. */
export const atPeak = (folder: string, { from, to }: Window): Parts => {
  const samplesOf = (file: string) =>
    fs
      .readFileSync(path.join(folder, file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => decode(line))
  const files = fs.readdirSync(folder).filter(isSamples)
  const [peak] = files
    .filter((file) => threadOf(file) === 0)
    .flatMap(samplesOf)
    .filter(({ at }) => at >= from && at <= to)
    .toSorted((a, b) => b.rss - a.rss)
  if (peak === undefined) return new Map()
  const distance = ({ at }: Sample) => Math.abs(at - peak.at)
  const others = files
    .filter((file) => threadOf(file) !== 0)
    .flatMap((file) =>
      samplesOf(file)
        .toSorted((a, b) => distance(a) - distance(b))
        .slice(0, 1)
    )
  const heaps = others.reduce((total, { heap }) => total + heap, 0)
  const buffers = others.reduce((total, { buffers }) => total + buffers, peak.buffers)
  const rest = peak.rss - peak.heap - heaps - buffers - peak.mapped
  const parts: ReadonlyArray<readonly [string, number]> = [
    ["the heap of the main thread", peak.heap],
    ["the heaps of other threads", heaps],
    ["buffers", buffers],
    ["files: programs, libraries, shared memory", peak.mapped],
    ["the rest: compiled code, caches of SQLite, the allocator", rest],
    ["resident memory", peak.rss]
  ]
  return new Map(parts.map(([name, bytes]) => [name, bytes / 2 ** 20]))
}

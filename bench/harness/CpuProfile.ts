/** Sums V8's sampling profiles (`.cpuprofile`). */
import { Schema } from "effect"
import * as Program from "./Program.ts"

const CallFrame = Schema.Struct({
  functionName: Schema.String,
  url: Schema.String,
  lineNumber: Schema.Int
})
type CallFrame = typeof CallFrame.Type

/** The fields of a profile that are used. */
const CpuProfile = Schema.Struct({
  /** µs of the machine's monotonic clock, as in `process.hrtime`. */
  startTime: Schema.Int,
  nodes: Schema.Array(Schema.Struct({ id: Schema.Int, callFrame: CallFrame })),
  /** Ids of nodes. */
  samples: Schema.Array(Schema.Int),
  /** µs before each sample. */
  timeDeltas: Schema.Array(Schema.Int)
})

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(CpuProfile))

/** µs of the monotonic clock. */
export interface Window {
  readonly from: number
  readonly to: number
}

export interface Share {
  readonly name: string
  /** Share of the thread's busy time, 0..1. */
  readonly share: number
}

export interface Summary {
  /** Share of the window, 0..1. */
  readonly busy: number
  /** By own time without callees, highest first. */
  readonly functions: ReadonlyArray<Share>
  /** By folder or package of the functions, highest first. */
  readonly places: ReadonlyArray<Share>
}

/** V8's name for idle time. */
const idle = "(idle)"

const fileOf = ({ url }: CallFrame): string => url.replace("file://", "").replace(`${Program.root}/`, "")

const functionOf = (frame: CallFrame): string => {
  const name = frame.functionName === "" ? "(anonymous)" : frame.functionName
  return frame.url === "" ? name : `${name} ${fileOf(frame)}:${frame.lineNumber + 1}`
}

/** Native code has no file, so it counts under its own name. */
const pageKeyOf = (frame: CallFrame): string => {
  if (frame.url === "") return frame.functionName === "" ? "(native)" : frame.functionName
  const file = fileOf(frame)
  if (file.startsWith("node:")) return "node"
  return /^(?:node_modules\/(?:@[^/]+\/)?[^/]+|src\/[^/]+|[^/]+)/.exec(file)?.[0] ?? file
}

const ranked = (times: ReadonlyMap<string, number>): ReadonlyArray<Share> => {
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  return Array.from(times, ([name, time]) => ({ name, share: time / total })).toSorted(
    (a, b) => b.share - a.share
  )
}

/** Sums the samples within the window. */
export const summarize = (text: string, { from, to }: Window): Summary => {
  const { nodes, samples, startTime, timeDeltas } = decode(text)
  const frames = new Map(nodes.map(({ callFrame, id }) => [id, callFrame]))
  const functions = new Map<string, number>()
  const places = new Map<string, number>()
  let time = startTime
  let busy = 0
  for (const [index, id] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0
    const frame = frames.get(id)
    time += delta
    if (time < from || time > to || frame === undefined || frame.functionName === idle) continue
    busy += delta
    const [name, place] = [functionOf(frame), pageKeyOf(frame)]
    functions.set(name, (functions.get(name) ?? 0) + delta)
    places.set(place, (places.get(place) ?? 0) + delta)
  }
  return { busy: busy / (to - from), functions: ranked(functions), places: ranked(places) }
}

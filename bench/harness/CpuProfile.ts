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

/** Own time without callees by name, µs. */
export type Times = Map<string, number>

export interface Summary {
  /** µs */
  readonly busy: number
  readonly functions: Times
  /** By room, package or part of Node. */
  readonly places: Times
}

/** The source of a line, from 0, of a file. */
export type SourceOf = (file: string, line: number) => string

/**
 * V8's name for idle time. Node counts the time in which it reads sockets as idle, too, because it reads them while it polls.
 */
const idle = "(idle)"

const nameOf = ({ functionName }: CallFrame) => (functionName === "" ? "(anonymous)" : functionName)

const withoutRoot = (file: string): string => file.replace(`${Program.root}/`, "")

const rooms =
  /^(?:node_modules\/(?:@[^/]+\/)?[^/]+|src\/[^/]+\/[^/]+|bench\/floors\/[^/]+|(?:domain|streams|projections)\/[^/]+(?=\/)|[^/]+)/

/** Native code has no file, so it counts under its own name. */
const placeOf = (frame: CallFrame, source: string): string => {
  if (frame.url === "") return frame.functionName === "" ? "(native)" : frame.functionName
  if (source.startsWith("node:")) return source.replace("node:internal/", "node:").split("/")[0] ?? source
  return rooms.exec(source)?.[0] ?? source
}

const add = (times: Times, name: string, time: number) => times.set(name, (times.get(name) ?? 0) + time)

/** Sums the samples within the window. */
export const summarize = (text: string, { from, to }: Window, sourceOf: SourceOf): Summary => {
  const { nodes, samples, startTime, timeDeltas } = decode(text)
  const frames = new Map(
    nodes.map(({ callFrame, id }) => {
      const { lineNumber, url } = callFrame
      const source = withoutRoot(sourceOf(url.replace("file://", ""), lineNumber))
      const name = url === "" ? nameOf(callFrame) : `${nameOf(callFrame)} ${source}`
      return [id, { name, place: placeOf(callFrame, source), isIdle: callFrame.functionName === idle }]
    })
  )
  const functions: Times = new Map()
  const places: Times = new Map()
  let time = startTime
  let busy = 0
  for (const [index, id] of samples.entries()) {
    const delta = timeDeltas[index] ?? 0
    const frame = frames.get(id)
    time += delta
    if (time < from || time > to || frame === undefined || frame.isIdle) continue
    busy += delta
    add(functions, frame.name, delta)
    add(places, frame.place, delta)
  }
  return { busy, functions, places }
}

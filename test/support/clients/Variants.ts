/** The plays of a case: one, or one for each byte at which an answer is cut off. */
import * as RawAnswer from "./RawAnswer.ts"
import type { BehaviourCase, Exchange, Fault, Frame } from "./BehaviourCase.ts"

/** An exchange as it is played: the request that must come, and the answer to it. */
export interface Step {
  readonly exchange: Exchange
  readonly answer: RawAnswer.RawAnswer
  readonly fault?: Exclude<Fault, "duplicate-frames">
}

export interface Play {
  readonly steps: ReadonlyArray<Step>
  /** The byte at which an answer is cut, if any. */
  readonly cut: number | null
}

/** How many places of an answer are tried, beside the boundaries of its frames. `CUTS=all` tries each byte. */
const cuts = process.env["CUTS"] === "all" ? Infinity : Number(process.env["CUTS"] ?? 5)

const nothing: RawAnswer.RawAnswer = { bytes: Buffer.alloc(0), ends: [] }

const twice = (frames: ReadonlyArray<Frame>) => {
  const hasIds = frames.some(({ id }) => id !== undefined)
  return frames.flatMap((frame) => (hasIds && frame.id === undefined ? [frame] : [frame, frame]))
}

const answerOf = ({ answer, fault }: Exchange): RawAnswer.RawAnswer => {
  if (answer === undefined) return nothing
  return RawAnswer.of(
    fault === "duplicate-frames" && answer.frames !== undefined
      ? { ...answer, frames: twice(answer.frames) }
      : answer
  )
}

const step = (exchange: Exchange): Step => {
  const { fault } = exchange
  return {
    exchange,
    answer: answerOf(exchange),
    ...(fault !== undefined && fault !== "duplicate-frames" && { fault })
  }
}

const isEverywhere = ({ fault }: Exchange): boolean =>
  typeof fault === "object" && "cut" in fault && fault.cut === "everywhere"

const withoutFault = ({ fault: _fault, resume: _resume, ...exchange }: Exchange): Exchange => exchange

/** What the client asks for once a stream broke off behind `whole` frames, and what it then gets. Nothing, if none was missing. */
const resumed = (exchange: Exchange, whole: number): ReadonlyArray<Exchange> => {
  const { answer, request, resume } = exchange
  const frames = answer?.frames
  if (answer === undefined || frames === undefined || resume === undefined || whole === frames.length)
    return []
  if (resume.from === "current")
    return [{ request, answer: { ...answer, frames: frames.slice(Math.max(whole - 1, 0)) } }]
  // Before the first event of a submit that streams, the client does not know the request: it submits again, under the same key.
  if (resume.path !== undefined && !frames.slice(0, whole).some(({ event }) => event === "request"))
    return [withoutFault(exchange)]
  const last = frames.slice(0, whole).findLastIndex(({ id }) => id !== undefined)
  const rest = frames.slice(whole).filter(({ event }) => event !== "request")
  const lastId = frames[last]?.id ?? request.headers?.["last-event-id"] ?? null
  return [
    {
      request: {
        ...(request.at === undefined ? {} : { at: request.at }),
        method: "GET",
        path: resume.path ?? request.path,
        headers: { "last-event-id": lastId }
      },
      answer: { ...answer, frames: rest }
    }
  ]
}

const offsets = ({ bytes, ends }: RawAnswer.RawAnswer, seed: number): ReadonlyArray<number> => {
  const stride = Math.max(1, Math.floor(bytes.length / cuts))
  const stepped = Array.from({ length: bytes.length }, (_, offset) => offset).filter(
    (offset) => offset % stride === seed % stride
  )
  const boundaries = ends.flatMap((end) => [end - 1, end]).filter((offset) => offset < bytes.length)
  return [...new Set([...stepped, ...boundaries])].sort((a, b) => a - b)
}

export const plays = ({ exchanges = [] }: BehaviourCase, seed: number): ReadonlyArray<Play> => {
  const all = exchanges.flatMap(({ times = 1, ...exchange }) =>
    Array.from({ length: times }, (): Exchange => exchange)
  )
  const cut = all.findIndex(isEverywhere)
  const exchange = all[cut]
  if (exchange === undefined) return [{ steps: all.map(step), cut: null }]
  const answer = answerOf(exchange)
  return offsets(answer, seed).map((offset) => {
    const whole = answer.ends.filter((end) => end <= offset).length
    const before = all.slice(0, cut).map(step)
    const after = [...resumed(exchange, whole), ...all.slice(cut + 1)].map(step)
    return { cut: offset, steps: [...before, { exchange, answer, fault: { cut: offset } }, ...after] }
  })
}

/** The progress of a transfer: one line on a terminal, occasional lines elsewhere, nothing with `--json`. */
import { Console, Effect, type Stdio } from "effect"
import * as Output from "#src/cli/Output.ts"
import * as ProgressLine from "#src/cli/ProgressLine.ts"
import * as Bytes from "./Bytes.ts"

export interface TransferProgress {
  /** Adds sent bytes; negative when they must be sent again. */
  readonly add: (bytes: number) => Effect.Effect<void>
  /** Bytes that the server already has. */
  readonly skip: (bytes: number) => Effect.Effect<void>
  /** Prints a message on its own line. */
  readonly say: (text: string) => Effect.Effect<void>
  readonly clear: Effect.Effect<void>
}

interface Progress {
  readonly name: string
  /** Transferred bytes. */
  readonly done: number
  /** Bytes transferred by this command. */
  readonly sent: number
  /** Bytes of the file, `null` when unknown. */
  readonly total: number | null
  /** ms */
  readonly elapsed: number
}

/** Time between two lines outside a terminal, ms. */
const elsewhere = 10_000

/** Characters. Longer names are cut, so that the line does not wrap. */
const barWidth = 20
const nameWidth = 24

const bar = (share: number): string => {
  const full = Math.floor(share * barWidth)
  return `[${"#".repeat(full)}${"-".repeat(barWidth - full)}]`
}

const named = (name: string): string => {
  const text = Output.printable(name)
  return text.length > nameWidth ? `…${text.slice(1 - nameWidth)}` : text
}

const shareOf = (done: number, total: number): number =>
  total === 0 ? 1 : Math.min(1, Math.max(0, done / total))

/** `1 GiB of 5 GiB  20.0 %  98.1 MiB/s  ETA 42 s`; without a total `1 GiB  98.1 MiB/s`. */
export const format = ({ done, elapsed, sent, total }: Progress): string => {
  const perSecond = elapsed > 0 ? Math.max(0, (sent * 1000) / elapsed) : 0
  const rate = `${Bytes.format(perSecond)}/s`
  if (total === null) return `${Bytes.format(done)}  ${rate}`
  const percent = `${(shareOf(done, total) * 100).toFixed(1)} %`
  const eta = perSecond >= 1 ? `  ETA ${Output.duration(((total - done) / perSecond) * 1000)}` : ""
  return `${Bytes.format(done)} of ${Bytes.format(total)}  ${percent}  ${rate}${eta}`
}

const formatBar = (progress: Progress): string => {
  const { done, name, total } = progress
  const drawn = total === null ? "" : `  ${bar(shareOf(done, total))}`
  return `${named(name)}${drawn}  ${format(progress)}`
}

const silent: TransferProgress = {
  add: () => Effect.void,
  skip: () => Effect.void,
  say: () => Effect.void,
  clear: Effect.void
}

export const make = Effect.fnUntraced(function* (options: {
  readonly name: string
  readonly total: number | null
  readonly isSilent: boolean
}): Effect.fn.Return<TransferProgress, never, Stdio.Stdio> {
  if (options.isSilent) return silent
  const { name, total } = options
  const { clear, update } = yield* ProgressLine.reporter(elsewhere)
  let [done, sent] = [0, 0]
  const show = update((elapsed, isTerminal) => {
    const progress = { name, done, sent, total, elapsed }
    return isTerminal ? formatBar(progress) : `${Output.printable(name)}: ${format(progress)}`
  })
  return {
    add: (bytes) =>
      Effect.suspend(() => {
        done += bytes
        sent += bytes
        return show
      }),
    skip: (bytes) =>
      Effect.suspend(() => {
        done += bytes
        return show
      }),
    say: (text) => Effect.andThen(clear, Console.error(text)),
    clear
  }
})

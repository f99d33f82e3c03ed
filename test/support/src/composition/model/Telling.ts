/** Describes a crowd in words. */
import type { Command, Crowd, Sequence, Turn } from "./Script.ts"

/** The non-default fields, without the tag. */
const words = ({ _tag, ...fields }: Command | Turn): string => {
  const told = Object.entries(fields).filter(([, value]) => value !== null)
  return [_tag, ...told.map(([name, value]) => `${name}=${value}`)].join(" ")
}

const sequence = ({ commands, means }: Sequence, index: number, turns: ReadonlyArray<Turn>): string => {
  const steps = commands.map((command, round) => {
    const turn = turns[round % Math.max(turns.length, 1)]
    return `    ${words(command)}  -> ${turn === undefined ? "Settle" : words(turn)}`
  })
  const account = means === null ? "with plenty" : `with money for ${means}`
  return [`  acc_${index}, ${account}:`, ...steps].join("\n")
}

/** Each command and the world's events after it. */
export const tell = ({ sequences, turns }: Crowd): string => {
  const more = sequences.length > 5 ? [`  and ${sequences.length - 5} more`] : []
  const told = sequences.slice(0, 5).map((one, index) => sequence(one, index, turns))
  return [
    ...told,
    ...more,
    `  in the end: the dead ${turns.length % 2 === 0 ? "are heard" : "are silent"}`
  ].join("\n")
}

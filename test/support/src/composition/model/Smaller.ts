/**
 * Finds the smallest crowd with the same failure. fast-check would keep everything behind the relevant part; this
 * tries to leave out every sequence, command and turn.
 */
import type { Command, Crowd, Sequence, Turn } from "./Script.ts"

/** The failure of the crowd; `null` without one. */
export type FailureOf = (crowd: Crowd) => Promise<Error | null>

/** Without the parts that differ between worlds. */
const kindOf = ({ message }: Error): string => message.replaceAll(/\brq-\S*|acc_\d+|\d+/g, "")

/** Halves first, then smaller and smaller parts. */
const without = async <A>(
  all: ReadonlyArray<A>,
  stillFails: (some: ReadonlyArray<A>) => Promise<boolean>
): Promise<ReadonlyArray<A>> => {
  let left = all
  for (let part = Math.ceil(left.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
    for (let start = 0; start < left.length;) {
      const fewer = left.toSpliced(start, part)
      if (await stillFails(fewer)) left = fewer
      else start += part
    }
  }
  return left
}

const plain: Turn = { _tag: "Settle" }

/** Continues until nothing more can be left out, at most until `deadline` (`performance.now`). */
export const smallest = async (crowd: Crowd, error: Error, failureOf: FailureOf, deadline: number) => {
  const kind = kindOf(error)
  let found = { crowd, error }

  const isSame = async (smaller: Crowd): Promise<boolean> => {
    if (performance.now() > deadline || smaller.sequences.length === 0) return false
    const error = await failureOf(smaller)
    if (error === null || kindOf(error) !== kind) return false
    found = { crowd: smaller, error }
    return true
  }

  const withSequence = (index: number, changes: Partial<Sequence>): Crowd => {
    const { sequences, turns } = found.crowd
    return {
      turns,
      sequences: sequences.map((one, each) => (each === index ? { ...one, ...changes } : one))
    }
  }

  for (let before: Crowd | null = null; before !== found.crowd;) {
    before = found.crowd
    await without(found.crowd.sequences, (sequences) => isSame({ ...found.crowd, sequences }))
    for (const [index] of found.crowd.sequences.entries()) {
      const { commands } = found.crowd.sequences[index] ?? { commands: [] }
      await without<Command>(commands, (commands) => isSame(withSequence(index, { commands })))
      await isSame(withSequence(index, { means: null }))
    }
    for (const [index, turn] of found.crowd.turns.entries())
      if (turn._tag !== plain._tag)
        await isSame({ ...found.crowd, turns: found.crowd.turns.with(index, plain) })
    await without(found.crowd.turns, (turns) => isSame({ ...found.crowd, turns }))
  }
  return found
}

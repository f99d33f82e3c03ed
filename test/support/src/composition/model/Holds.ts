/**
 * Thousands of sequences, crowd after crowd, each in a new world, so that seed and path reproduce a failure
 * (security, "Invariants after every crash or seed").
 */
import { assert } from "@effect/vitest"
import * as fc from "fast-check"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { play } from "./Play.ts"
import { type Crowd, crowd } from "./Script.ts"
import * as Smaller from "./Smaller.ts"
import * as Telling from "./Telling.ts"

/** Enough to meet every event. Each run has another seed, and the long form shows ten thousand and more. */
const sequences = Number(process.env["MODEL_RUNS"] ?? 2_000)
const seed = Number(process.env["MODEL_SEED"] ?? Date.now() % 1_000_000)
const path = process.env["MODEL_PATH"]

/** Sequences in one world, at most. */
const crowdSize = 160

/** One of this many crowds has its chain verified and its read models rebuilt. */
const thoroughEvery = 5

/** A smaller number need not meet every event: 4,000 missed the rarest now and then. */
const manySequences = 10_000

/** Real time, ms. */
export const patienceMs = Math.max(600_000, sequences * 60)

/** How long to search for a smaller failure, ms. */
const smallerMs = 60_000

const asError = (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause)))

const failureOf = (isThorough: boolean) => (value: Crowd) => play(value, isThorough).then(() => null, asError)

const told = async (
  { counterexamplePath, errorInstance }: fc.RunDetails<[Crowd]>,
  value: Crowd,
  played: number
) => {
  const again = `MODEL_SEED=${seed} MODEL_PATH=${counterexamplePath} npm test -- test/system/src/composition/Model.test.ts`
  const first = asError(errorInstance)
  process.stdout.write(
    `model test: ${first.message}\nIn the world after ${played} sequences; made smaller now. Again: ${again}\n`
  )
  const isSoon = (await failureOf(false)(value)) !== null
  const { crowd, error } = await Smaller.smallest(
    value,
    first,
    failureOf(!isSoon),
    performance.now() + smallerMs
  )
  return new Error(`${error.message}\n${Telling.tell(crowd)}\nAgain: ${again}`, { cause: error })
}

const { codec } = InferenceRequest.aggregate

export const holds = async (): Promise<void> => {
  const began = performance.now()
  const met = new Set<string>()
  let played = 0
  let crowds = 0
  const once = async (value: Crowd) => {
    if (played >= sequences || (path !== undefined && crowds > 0)) return
    const types = await play(value, crowds++ % thoroughEvery === 0)
    for (const type of types) met.add(type)
    played += value.sequences.length
  }
  process.stdout.write(`model test: ${sequences} sequences, MODEL_SEED=${seed}\n`)
  const details = await fc.check(fc.asyncProperty(crowd(crowdSize), once), {
    seed,
    numRuns: sequences,
    endOnFailure: true,
    ...(path === undefined ? {} : { path })
  })
  if (details.counterexample !== null) throw await told(details, details.counterexample[0], played)
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  process.stdout.write(`model test: ${played} sequences in ${crowds} worlds, ${seconds} s\n`)
  if (path !== undefined) return
  assert.isAtLeast(played, sequences)
  if (played >= manySequences) assert.sameMembers([...met], [...codec.types], "what was met")
}

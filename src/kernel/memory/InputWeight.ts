/** Estimates the memory that an input takes, in bytes. */
import type { Request } from "#domain/inference-request/State.ts"

/** Memory of a run besides its input. */
const ofRun = 8 * 1024

/** A submit: the received bytes, their text, the text of the input, and the parsed values. */
export const ofSubmit = (bytes: number, values: number): number => 3 * bytes + values

/** Smaller estimates are not recorded on the log, because `guessedShare` is accurate enough. */
const worthRecording = 16 * 1024
const guessedShare = 4

/** The field of `RequestSubmitted` that records the weight of the values. */
export const recorded = (size: number, values: number | undefined): { readonly inputMemory?: number } =>
  values !== undefined && size * guessedShare + values > worthRecording ? { inputMemory: values } : {}

/** A run: the text, the values, and the text of an output of the same size. */
export const ofRequest = ({ submitted }: Request): number => {
  const { size } = submitted.payloads.input
  return ofRun + 2 * size + (submitted.inputMemory ?? guessedShare * size)
}

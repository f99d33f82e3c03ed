/** About how much memory an input takes, bytes. */
import type { Request } from "#domain/inference-request/State.ts"

/** What a run takes beside its input. */
const ofRun = 8 * 1024

/** Of a submit: the bytes that came, their text, and the canonical text, beside the values. */
export const ofSubmit = (bytes: number, values: number): number => 3 * bytes + values

/** Worth a field on the log: what takes less is guessed well enough. */
const worthTelling = 16 * 1024
const guessedShare = 4

/** What of `values` stands in `RequestSubmitted`. */
export const told = (size: number, values: number | undefined): { readonly inputMemory?: number } =>
  values !== undefined && size * guessedShare + values > worthTelling ? { inputMemory: values } : {}

/** Of a run: the text, the values, and the text of an output as large. */
export const ofRequest = ({ submitted }: Request): number => {
  const { size } = submitted.payloads.input
  return ofRun + 2 * size + (submitted.inputMemory ?? guessedShare * size)
}

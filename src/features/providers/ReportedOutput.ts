/** The output in the answer of a provider, or in the report of a worker. */
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"

export interface ReportedOutput {
  readonly output: Json
  /** Of an output that cannot remember it. */
  readonly text?: string
}

/** @param answer an object with a member `output`; without one the output is `null`. */
export const of = (answer: Json | undefined): ReportedOutput => {
  const output = JsonText.member(answer, "output") ?? null
  const text = JsonText.scalarText(answer, "output")
  return text === undefined ? { output } : { output, text }
}

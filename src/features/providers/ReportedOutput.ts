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
  const member = JsonText.spelledMember(answer, "output")
  return member === undefined ? { output: null } : ofSpelled(member)
}

export const ofSpelled = ({ scalar, value }: JsonText.Spelled): ReportedOutput =>
  scalar === null ? { output: value } : { output: value, text: scalar }

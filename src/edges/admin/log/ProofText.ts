/** What the declarations of the routes that run passes over the log share. */
import { Effect } from "effect"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import type { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import { invalid, lines } from "./Lines.ts"

export const successOf = (what: string) =>
  lines(
    `Lines \`{ type: "running", elapsedMs, done, total, unit }\` every second, without the last three until they are known, then \`{ type: "result", ok, code, report, message }\`. ${what}`
  )

export const errors = [...CommonResponses.usual, CommonResponses.conflict] as const

export const running =
  "It runs at low priority in a process of its own, one pass over the log at a time on each node (409 `PROOF_RUNNING`), and ends when the client leaves."

export const oneOf = <const Names extends ReadonlyArray<string>>(description: string, names: Names) =>
  ListParameters.text(description, { type: "string", enum: [...names], default: names[0] ?? "" })

/** A value of `names`; the first one by default. */
export const chosen = <const Names extends readonly [string, ...ReadonlyArray<string>]>(
  name: string,
  given: string | undefined,
  names: Names
): Effect.Effect<Names[number], ErrorAnswer> => {
  const found: Names[number] | undefined = names.find((one) => one === (given ?? names[0]))
  return found === undefined ? invalid(name, `must be one of ${names.join(", ")}`) : Effect.succeed(found)
}

const reports = ["json", "text"] as const

/** The parameter `format` of a report. */
export const format = oneOf("Of the report.", reports)

/** The flag of the command for the parameter `format`. */
export const formatFlag = (given: string | undefined) =>
  Effect.map(chosen("format", given, reports), (value) => (value === "json" ? ["--json"] : []))

const booleans = ["false", "true"] as const

/** The parameter `incremental`. */
export const incremental = oneOf("Begins at the node's newest signed checkpoint.", booleans)

/** The flag of the command for the parameter `incremental`. */
export const incrementalFlag = (given: string | undefined) =>
  Effect.map(chosen("incremental", given, booleans), (value) => (value === "true" ? ["--incremental"] : []))

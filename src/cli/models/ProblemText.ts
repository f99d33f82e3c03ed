/** Formats problems of manifests for output. */
import { Console, Effect } from "effect"
import type { Checked } from "#src/features/manifests/Checks.ts"
import { isError, type Problem, text } from "#src/features/manifests/Problem.ts"
import * as Output from "#src/cli/Output.ts"

export const forPrograms = ({ column, file, line, message, path }: Problem) => ({
  file,
  line,
  column,
  path,
  message
})

export const errorsOf = ({ problems }: Checked) => problems.filter(isError)
export const warningsOf = ({ problems }: Checked) => problems.filter((problem) => !isError(problem))

const line = (problem: Problem): string =>
  Output.printable(isError(problem) ? text(problem) : `${text(problem)} (warning)`)

/** Prints one line per problem to stderr. */
export const print = ({ problems }: Checked): Effect.Effect<void> =>
  problems.length === 0 ? Effect.void : Console.error(problems.map(line).join("\n"))

/** `3 definitions, 1 error, 2 warnings` */
export const summary = (checked: Checked): string =>
  [
    Output.counted(checked.found, "definition"),
    Output.counted(errorsOf(checked).length, "error"),
    Output.counted(warningsOf(checked).length, "warning")
  ].join(", ")

/** Reads and checks the manifests of a command, and formats the problems found. */
import { Console, Effect, Option, Struct } from "effect"
import { Argument } from "effect/cli"
import * as Checks from "#src/features/manifests/Checks.ts"
import * as Drafts from "#src/features/manifests/Drafts.ts"
import type { KnownItems } from "#src/features/manifests/Known.ts"
import * as ManifestFiles from "#src/features/manifests/ManifestFiles.ts"
import { modelsDir } from "#src/features/manifests/ModelsDir.ts"
import { isError, type Problem, text } from "#src/features/manifests/Problem.ts"
import * as Output from "#src/cli/Output.ts"
import { CommandError, UsageError } from "#src/cli/Failure.ts"

export const paths = Argument.String("path").pipe(
  Argument.withDescription("A manifest, or a folder of manifests (default: MODELS_DIR)"),
  Argument.variadic()
)

const orSetting = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  if (given.length > 0) return given
  const folder = yield* modelsDir.config
  if (Option.isSome(folder)) return [folder.value]
  return yield* new UsageError({ message: "Expected a path: MODELS_DIR is not set" })
})

/** Reads each file once, even if it is given twice. */
export const check = Effect.fnUntraced(function* (given: ReadonlyArray<string>, known: KnownItems) {
  const found = yield* Effect.forEach(yield* orSetting(given), ManifestFiles.find)
  const files = new Map(found.flat().map((file) => [file.path, file]))
  return yield* Checks.check(yield* Drafts.read([...files.values()]), known)
})

/** Fails without manifests, so that a wrong path in a script does not pass as valid. */
export const some = Effect.fnUntraced(function* ({ found }: Checks.Checked) {
  if (found > 0) return
  const message =
    "No manifest found: there is no .yaml, .yml or .json file with a definition at or below the given path"
  return yield* new CommandError({ message })
})

export const problemForPrograms = (problem: Problem) =>
  Struct.pick(problem, ["file", "line", "column", "path", "message"])

export const errorsOf = ({ problems }: Checks.Checked) => problems.filter(isError)
export const warningsOf = ({ problems }: Checks.Checked) => problems.filter((problem) => !isError(problem))

const line = (problem: Problem): string =>
  Output.printable(isError(problem) ? text(problem) : `${text(problem)} (warning)`)

/** Prints one line per problem to stderr. */
export const print = ({ problems }: Checks.Checked): Effect.Effect<void> =>
  problems.length === 0 ? Effect.void : Console.error(problems.map(line).join("\n"))

/** `3 definitions, 1 error, 2 warnings` */
export const summary = (checked: Checks.Checked): string =>
  [
    Output.counted(checked.found, "definition"),
    Output.counted(errorsOf(checked).length, "error"),
    Output.counted(warningsOf(checked).length, "warning")
  ].join(", ")

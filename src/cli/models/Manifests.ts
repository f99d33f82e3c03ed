/** Reads and checks the manifests of a command, and formats the diagnostics found. */
import { Console, Effect, Option, Struct } from "effect"
import { Argument } from "effect/cli"
import * as Checks from "#src/features/manifests/Checks.ts"
import * as Drafts from "#src/features/manifests/Drafts.ts"
import type { KnownItems } from "#src/features/manifests/Known.ts"
import * as ManifestFiles from "#src/features/manifests/ManifestFiles.ts"
import { modelsDir } from "#src/features/manifests/ModelsDir.ts"
import { isError, type Diagnostic, text } from "#src/features/manifests/Diagnostic.ts"
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

export const problemForPrograms = (diagnostic: Diagnostic) =>
  Struct.pick(diagnostic, ["file", "line", "column", "path", "message"])

export const errorsOf = ({ diagnostics }: Checks.Checked) => diagnostics.filter(isError)
export const warningsOf = ({ diagnostics }: Checks.Checked) =>
  diagnostics.filter((diagnostic) => !isError(diagnostic))

const line = (diagnostic: Diagnostic): string =>
  Output.printable(isError(diagnostic) ? text(diagnostic) : `${text(diagnostic)} (warning)`)

/** Prints one line per diagnostic to stderr. */
export const print = ({ diagnostics }: Checks.Checked): Effect.Effect<void> =>
  diagnostics.length === 0 ? Effect.void : Console.error(diagnostics.map(line).join("\n"))

/** `3 definitions, 1 error, 2 warnings` */
export const summary = (checked: Checks.Checked): string =>
  [
    Output.counted(checked.found, "definition"),
    Output.counted(errorsOf(checked).length, "error"),
    Output.counted(warningsOf(checked).length, "warning")
  ].join(", ")

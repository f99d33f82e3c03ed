import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import * as BuiltinItems from "#src/features/manifests/BuiltinItems.ts"
import type { Item } from "#src/features/manifests/Items.ts"
import * as Output from "#src/cli/Output.ts"
import * as ManifestPaths from "./ManifestPaths.ts"
import * as ProblemText from "./ProblemText.ts"

/** Raised after the problems were printed. */
export class ManifestsInvalid extends Schema.TaggedError<ManifestsInvalid>()("ManifestsInvalid", {
  message: Schema.String
}) {}

const forPrograms = (item: Item) => ({ kind: item.kind, name: item.name, file: item.file })

export const validate = Command.make(
  "validate",
  { paths: ManifestPaths.paths, json: Output.json },
  Effect.fnUntraced(function* ({ json, paths }) {
    const checked = yield* ManifestPaths.check(paths, yield* BuiltinItems.known)
    const errors = ProblemText.errorsOf(checked)
    if (json) {
      yield* Output.printJson({
        ok: errors.length === 0 && checked.found > 0,
        found: checked.found,
        items: checked.items.map(forPrograms),
        errors: errors.map(ProblemText.forPrograms),
        warnings: ProblemText.warningsOf(checked).map(ProblemText.forPrograms)
      })
    } else yield* ProblemText.print(checked)
    if (errors.length > 0) {
      return yield* new ManifestsInvalid({ message: `Not valid: ${ProblemText.summary(checked)}` })
    }
    yield* ManifestPaths.some(checked)
    if (!json) yield* Console.log(`Valid: ${ProblemText.summary(checked)}`)
  })
).pipe(
  Command.withDescription(
    "Check manifests without a server and without a log. Every model, wrapper and GPU that they refer to must be in the manifests or ship with this release"
  ),
  Command.withShortDescription("Check manifests"),
  Command.withExamples([
    { command: "inferlog models validate ./models" },
    { command: "inferlog models validate flux.yaml --json" }
  ])
)

import { Console, Effect, Struct } from "effect"
import { Command } from "effect/cli"
import * as BuiltinItems from "#src/features/manifests/BuiltinItems.ts"
import * as Manifests from "./Manifests.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"

export const validate = Command.make(
  "validate",
  { paths: Manifests.paths, json: Output.json },
  Effect.fnUntraced(function* ({ json, paths }) {
    const checked = yield* Manifests.check(paths, yield* BuiltinItems.known)
    const errors = Manifests.errorsOf(checked)
    if (json) {
      yield* Output.printJson({
        ok: errors.length === 0 && checked.found > 0,
        found: checked.found,
        items: checked.items.map((item) => Struct.pick(item, ["kind", "name", "file"])),
        errors: errors.map(Manifests.problemForPrograms),
        warnings: Manifests.warningsOf(checked).map(Manifests.problemForPrograms)
      })
    } else yield* Manifests.print(checked)
    if (errors.length > 0) {
      return yield* new CommandError({ message: `Not valid: ${Manifests.summary(checked)}` })
    }
    yield* Manifests.some(checked)
    if (!json) yield* Console.log(`Valid: ${Manifests.summary(checked)}`)
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

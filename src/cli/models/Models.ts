import { Console, Effect, Option, Struct } from "effect"
import { Command } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Output from "#src/cli/Output.ts"
import type { ItemKind } from "#src/features/catalog/Publishing.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as BuiltinItems from "#src/features/manifests/BuiltinItems.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as CatalogAccess from "./CatalogAccess.ts"
import { importCommand } from "./Import.ts"
import { list } from "./List.ts"
import { show } from "./Show.ts"
import * as Manifests from "./Manifests.ts"

const validate = Command.make(
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

/** The consequence of a withdrawal, per kind. */
const consequence: Readonly<Record<ItemKind, string>> = {
  model: "it is no longer shown, and new requests are refused",
  wrapper: "it is no longer shown, and new requests are refused",
  collection: "it is no longer shown",
  gpu: "it is no longer listed",
  "deployment-template": "it is no longer shown"
}

const withdraw = Command.make(
  "withdraw",
  {
    name: CatalogAccess.name,
    kind: CatalogAccess.kind,
    force: Flags.toggle("force", "Withdraw the item even if wrappers, collections or templates depend on it"),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ force, json, kind: given, name }) {
    const administration = yield* Administration
    const { kind } = yield* administration.showItem({ kind: Option.getOrNull(given), name })
    const { change, dependents } = yield* administration.withdrawItem({ kind, name, force })
    if (json) return yield* Output.printJson({ kind, name, withdrawn: true, change, dependents })
    const item = `${kind} ${Output.printable(name)}`
    if (change === "unchanged") return yield* Console.log(`The ${item} is already withdrawn.`)
    yield* Console.log(`Withdrew ${item}: ${consequence[kind]}.`)
    if (dependents.length > 0) {
      const users = dependents.map((user) => `${user.kind} ${Output.printable(user.name)}`).join(", ")
      yield* Console.log(`Used by: ${users}.`)
    }
  })
).pipe(
  Command.withDescription(
    "Withdraw an item from the catalog. Accepted requests still run; new requests get 404. An import publishes the item again. Refused while wrappers, collections or templates depend on the item, unless --force is given"
  ),
  Command.withShortDescription("Withdraw an item from the catalog"),
  Command.withExamples([
    { command: "inferlog models withdraw acme/flux" },
    { command: "inferlog models withdraw acme/flux --force" },
    { command: "inferlog models withdraw summer --kind collection" }
  ]),
  Command.provide(OperatorAccess.layerExisting)
)

const deprecate = Command.make(
  "deprecate",
  { name: CatalogAccess.name, json: Output.json },
  Effect.fnUntraced(function* ({ json, name }) {
    yield* (yield* Administration).deprecateItem({ name })
    yield* json
      ? Output.printJson({ name, deprecated: true })
      : Console.log(`Deprecated ${Output.printable(name)}: it still runs, and is shown as deprecated.`)
  })
).pipe(
  Command.withDescription(
    "Mark a model or a wrapper as deprecated. It still runs, and is marked as no longer recommended. An import reactivates it"
  ),
  Command.withShortDescription("Mark a model as deprecated"),
  Command.withExamples([{ command: "inferlog models deprecate acme/flux" }]),
  Command.provide(OperatorAccess.layerExisting)
)

export const models = Command.make("models").pipe(
  Command.withDescription("The catalog, and the manifests that it is published from"),
  Command.withSubcommands([
    validate,
    Remote.administers(importCommand),
    Remote.administers(list),
    Remote.administers(show),
    Remote.administers(deprecate),
    Remote.administers(withdraw)
  ])
)

import { Command } from "effect/cli"
import { deprecate } from "./Deprecate.ts"
import { importCommand } from "./Import.ts"
import { list } from "./List.ts"
import { show } from "./Show.ts"
import { validate } from "./Validate.ts"
import { withdraw } from "./Withdraw.ts"

export const models = Command.make("models").pipe(
  Command.withDescription("The catalog, and the manifests that it is published from"),
  Command.withSubcommands([validate, importCommand, list, show, deprecate, withdraw])
)

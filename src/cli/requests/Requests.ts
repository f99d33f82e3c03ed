import { Layer } from "effect"
import { Command } from "effect/cli"
import * as ExistingLog from "#src/cli/ExistingLog.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import { list } from "./List.ts"
import { show } from "./Show.ts"

export const requests = Command.make("requests").pipe(
  Command.withDescription("Requests of all accounts"),
  Command.withSubcommands([list, show]),
  Command.provide(OperatorAccess.layer.pipe(Layer.provide(ExistingLog.layer)))
)

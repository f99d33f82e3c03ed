import { Layer } from "effect"
import { Command } from "effect/cli"
import * as ExistingLog from "#src/cli/ExistingLog.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import { show } from "./Show.ts"
import { topUp } from "./TopUp.ts"

export const balance = Command.make("balance").pipe(
  Command.withDescription("Balances and payments"),
  Command.withSubcommands([show, topUp]),
  Command.provide(OperatorAccess.layer.pipe(Layer.provide(ExistingLog.layer)))
)

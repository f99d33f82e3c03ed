import { Layer } from "effect"
import { Command } from "effect/cli"
import * as ExistingLog from "./ExistingLog.ts"
import { create } from "#src/cli/keys/Create.ts"
import { list } from "#src/cli/keys/List.ts"
import { revoke } from "#src/cli/keys/Revoke.ts"
import { rotate } from "#src/cli/keys/Rotate.ts"
import * as OperatorAccess from "./OperatorAccess.ts"

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, rotate, revoke]),
  Command.provide(OperatorAccess.layer.pipe(Layer.provide(ExistingLog.layer)))
)

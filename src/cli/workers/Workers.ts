import { Layer } from "effect"
import { Command } from "effect/cli"
import * as ExistingLog from "#src/cli/ExistingLog.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import { create } from "./Create.ts"
import { list } from "./List.ts"
import { revoke } from "./Revoke.ts"
import { rotate } from "./Rotate.ts"

export const workers = Command.make("workers").pipe(
  Command.withDescription("Keys for workers, which fetch jobs"),
  Command.withSubcommands([create, list, rotate, revoke]),
  Command.provide(OperatorAccess.layer.pipe(Layer.provide(ExistingLog.layer)))
)

import { Command } from "effect/cli"
import { list } from "./List.ts"
import { rebuild } from "./Rebuild.ts"

export const projections = Command.make("projections").pipe(
  Command.withDescription("The read models that are built from the log: list, rebuild and verify them"),
  Command.withShortDescription("The read models that are built from the log"),
  Command.withSubcommands([list, rebuild])
)

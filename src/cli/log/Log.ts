import { Command } from "effect/cli"
import { stats } from "./Stats.ts"
import { verify } from "./Verify.ts"

export const log = Command.make("log").pipe(
  Command.withDescription("The event log: its size, and proof that it is what was written"),
  Command.withSubcommands([stats, verify])
)

import { Command } from "effect/cli"
import { exportLog } from "./export/Export.ts"
import { stats } from "./Stats.ts"
import { tail } from "./Tail.ts"
import { verify } from "./Verify.ts"

export const log = Command.make("log").pipe(
  Command.withDescription("The event log: its events, its size, and proof that it is what was written"),
  Command.withSubcommands([tail, exportLog, stats, verify])
)

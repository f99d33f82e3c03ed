import { Command } from "effect/cli"
import { acceptHead } from "./AcceptHead.ts"
import { archive } from "./Archive.ts"
import { copy } from "./copy/Copy.ts"
import { exportLog } from "./export/Export.ts"
import { moveArchive } from "./MoveArchive.ts"
import { stats } from "./Stats.ts"
import { tail } from "./Tail.ts"
import { verify } from "./Verify.ts"

export const log = Command.make("log").pipe(
  Command.withDescription("The event log: show, export, verify, copy and archive it"),
  Command.withSubcommands([tail, exportLog, stats, verify, copy, archive, moveArchive, acceptHead])
)

import { Command } from "effect/cli"
import { listen } from "./listen/Listen.ts"
import { verify } from "./Verify.ts"

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription(
    "Webhooks as their receivers get them: forwarded to an app on this machine, or checked. Needs no log"
  ),
  Command.withShortDescription("Forward webhooks to this machine, and check them"),
  Command.withSubcommands([listen, verify])
)

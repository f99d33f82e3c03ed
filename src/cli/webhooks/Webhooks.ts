import { Command } from "effect/cli"
import { listen } from "./listen/Listen.ts"
import { verify } from "./Verify.ts"

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription(
    "Webhooks: forward them to an app on this machine, or check a received one. Needs no data directory"
  ),
  Command.withShortDescription("Forward webhooks to this machine, and check them"),
  Command.withSubcommands([listen, verify])
)

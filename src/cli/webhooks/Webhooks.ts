import { Command } from "effect/cli"
import { verify } from "./Verify.ts"

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Webhooks as their receivers get them. Needs neither a server nor a log"),
  Command.withSubcommands([verify])
)

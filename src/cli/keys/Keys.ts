import { Command } from "effect/cli"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import { create } from "./Create.ts"
import * as KeyChanges from "./KeyChanges.ts"
import { list } from "./List.ts"

const words = { noun: "key", one: "an API key" }

const rotate = KeyChanges.rotate(words, ({ rotateKey }, options) => rotateKey(options)).pipe(
  Command.withExamples([
    { command: "inferlog keys rotate key_0123456789abcdef_Ab12Cd34" },
    {
      command: "inferlog keys rotate key_0123456789abcdef_Ab12Cd34 --grace 0",
      description: "Refuse the previous secret at once"
    }
  ])
)

const revoke = KeyChanges.revoke(words, "A running server refuses it at once", ({ revokeKey }, options) =>
  revokeKey(options)
).pipe(Command.withExamples([{ command: "inferlog keys revoke key_0123456789abcdef_Ab12Cd34" }]))

export const keys = Command.make("keys").pipe(
  Command.withDescription("API keys"),
  Command.withSubcommands([create, list, rotate, revoke]),
  Command.provide(OperatorAccess.layerExisting)
)

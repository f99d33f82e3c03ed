import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Output from "#src/cli/Output.ts"
import { keyId } from "./KeyIdArgument.ts"

export const revoke = Command.make(
  "revoke",
  { keyId, json: Output.json },
  Effect.fnUntraced(function* ({ keyId, json }) {
    yield* (yield* Administration).revokeKey({ keyId })
    yield* json ? Output.printJson({ keyId, revoked: true }) : Console.log(`Revoked key ${keyId}.`)
  })
).pipe(
  Command.withDescription("Revoke an API key permanently. A running server refuses it at once"),
  Command.withShortDescription("Revoke an API key"),
  Command.withExamples([{ command: "inferlog keys revoke key_0123456789abcdef_Ab12Cd34" }])
)

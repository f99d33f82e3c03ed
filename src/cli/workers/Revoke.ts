import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import { keyId } from "#src/cli/keys/KeyIdArgument.ts"
import * as Output from "#src/cli/Output.ts"

export const revoke = Command.make(
  "revoke",
  { keyId, json: Output.json },
  Effect.fnUntraced(function* ({ json, keyId }) {
    yield* (yield* Administration).revokeWorkerKey({ keyId })
    yield* json ? Output.printJson({ keyId, revoked: true }) : Console.log(`Revoked worker key ${keyId}.`)
  })
).pipe(
  Command.withDescription(
    "Revoke a worker key permanently. The jobs that its worker runs are run again when their leases expire"
  ),
  Command.withShortDescription("Revoke a worker key"),
  Command.withExamples([{ command: "inferlog workers revoke worker_0123456789abcdef" }])
)

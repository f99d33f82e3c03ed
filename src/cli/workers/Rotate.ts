import { Console, Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import { keyId } from "#src/cli/keys/KeyIdArgument.ts"
import { grace } from "#src/cli/keys/Rotate.ts"
import * as Output from "#src/cli/Output.ts"

export const rotate = Command.make(
  "rotate",
  { keyId, grace, json: Output.json },
  Effect.fnUntraced(function* ({ grace, json, keyId }) {
    const administration = yield* Administration
    const { key, previousExpiresAt } = yield* administration.rotateWorkerKey({ keyId, graceMs: grace })
    const previousKeyExpiresAt = Output.timeOrNull(previousExpiresAt)
    const before =
      previousKeyExpiresAt === null ? "is refused from now on" : `is valid until ${previousKeyExpiresAt}`
    yield* Console.error(`Rotated worker key ${keyId}; the previous secret ${before}. Shown only once:`)
    yield* json
      ? Output.printJson({ keyId, key: Redacted.value(key), previousKeyExpiresAt })
      : Console.log(Redacted.value(key))
  })
).pipe(
  Command.withDescription(
    "Replace the secret of a worker key and print the new key, once. The previous secret stays valid for --grace; older secrets do not"
  ),
  Command.withShortDescription("Replace the secret of a worker key"),
  Command.withExamples([{ command: "inferlog workers rotate worker_0123456789abcdef --grace 1h" }])
)

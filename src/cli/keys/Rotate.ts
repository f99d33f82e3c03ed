import { Console, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { longestGraceMs } from "#domain/account/Key.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Output from "#src/cli/Output.ts"
import { keyId } from "./KeyIdArgument.ts"
import * as TimeSpan from "./TimeSpan.ts"

export const grace = Flag.String("grace").pipe(
  Flag.withMetavar("SPAN"),
  Flag.withDescription("How long the previous secret stays valid, such as 24h, 7d or 0"),
  Flag.withDefault("24h"),
  Flag.filterMap(
    (text) => Option.filter(TimeSpan.parse(text), (ms) => ms <= longestGraceMs),
    () => "Expected a time from 0 to 7d such as 24h or 15m"
  )
)

export const rotate = Command.make(
  "rotate",
  { keyId, grace, json: Output.json },
  Effect.fnUntraced(function* ({ grace, json, keyId }) {
    const administration = yield* Administration
    const { accountId, key, previousExpiresAt } = yield* administration.rotateKey({ keyId, graceMs: grace })
    const previousKeyExpiresAt = Output.timeOrNull(previousExpiresAt)
    const before =
      previousKeyExpiresAt === null ? "is refused from now on" : `is valid until ${previousKeyExpiresAt}`
    yield* Console.error(`Rotated key ${keyId}; the previous secret ${before}. Shown only once:`)
    yield* json
      ? Output.printJson({ accountId, keyId, key: Redacted.value(key), previousKeyExpiresAt })
      : Console.log(Redacted.value(key))
  })
).pipe(
  Command.withDescription(
    "Replace the secret of an API key and print the new key, once. The previous secret stays valid for --grace; older secrets do not"
  ),
  Command.withShortDescription("Replace the secret of an API key"),
  Command.withExamples([
    { command: "inferlog keys rotate key_0123456789abcdef_Ab12Cd34" },
    {
      command: "inferlog keys rotate key_0123456789abcdef_Ab12Cd34 --grace 0",
      description: "Refuse the previous secret at once"
    }
  ])
)

import { Console, Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import { accountFlag, chosenAccount } from "#src/cli/AccountChoice.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as GrantFlags from "./GrantFlags.ts"
import * as GrantText from "./GrantText.ts"

export const create = Command.make(
  "create",
  {
    account: accountFlag,
    name: Flags.name("Purpose of the key"),
    ...GrantFlags.flags,
    json: Output.json
  },
  Effect.fnUntraced(function* ({ account, json, name, ...given }) {
    const grant = yield* GrantFlags.grantOf(given)
    const accountId = yield* chosenAccount(account)
    const { key, keyId } = yield* (yield* Administration).issueKey({ accountId, name, grant })
    yield* Console.error(`Created key ${keyId} of account ${accountId}. Shown only once:`)
    yield* json
      ? Output.printJson({ accountId, keyId, key: Redacted.value(key), ...GrantText.forPrograms(grant) })
      : Console.log(Redacted.value(key))
  })
).pipe(
  Command.withDescription(
    "Create an API key and print it. It is shown only once, because the log stores only its hash"
  ),
  Command.withShortDescription("Create an API key"),
  Command.withExamples([
    { command: "inferlog keys create --name ci" },
    { command: "inferlog keys create --account acc_0123456789abcdef --name ci --json" },
    {
      command:
        "inferlog keys create --name ocr --scopes requests:write,requests:read --models vision/ocr --monthly-budget 25 --expires 90d",
      description: "One model, up to 25 USD a month, for 90 days"
    }
  ])
)

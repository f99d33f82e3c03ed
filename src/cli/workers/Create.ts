import { Console, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as GrantFlags from "#src/cli/keys/GrantFlags.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as ModelWarnings from "./ModelWarnings.ts"

const models = GrantFlags.flags.models.pipe(
  Flag.withDescription("Models whose jobs the worker may take, such as acme/upscale; all by default")
)

export const create = Command.make(
  "create",
  {
    name: Flags.name("Name of the worker"),
    models,
    expires: GrantFlags.flags.expires,
    json: Output.json
  },
  Effect.fnUntraced(function* ({ expires, json, models, name }) {
    const unlimited = { scopes: Option.none(), monthlyBudget: Option.none() }
    const { expiresAt, modelEndpoints } = yield* GrantFlags.grantOf({ expires, models, ...unlimited })
    // Runs before the key is created, because a failure afterwards would lose the key.
    const warnings = yield* ModelWarnings.of(modelEndpoints ?? [])
    const { key, keyId } = yield* (yield* Administration).issueWorkerKey({ name, modelEndpoints, expiresAt })
    for (const warning of warnings) yield* Console.error(`Warning: ${warning}`)
    yield* Console.error(`Created worker key ${keyId}. Shown only once:`)
    yield* json
      ? Output.printJson({
          keyId,
          key: Redacted.value(key),
          modelEndpoints,
          expiresAt: Output.timeOrNull(expiresAt)
        })
      : Console.log(Redacted.value(key))
  })
).pipe(
  Command.withDescription(
    "Create a key for a worker, which fetches jobs, and print it. It is shown only once, because the log stores only its hash. The worker sees the inputs of all accounts for its models"
  ),
  Command.withShortDescription("Create a worker key"),
  Command.withExamples([
    { command: "inferlog workers create --name gpu-box --models acme/upscale" },
    {
      command:
        "inferlog workers create --name gpu-box --models acme/upscale,acme/caption --expires 90d --json"
    }
  ])
)

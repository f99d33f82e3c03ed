import { Clock, Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import * as Output from "#src/cli/Output.ts"
import * as Hints from "./Hints.ts"
import { listen } from "./listen/Listen.ts"
import { CommandError } from "#src/cli/Failure.ts"
import { flags, requestOf, secretOf } from "./VerifyFlags.ts"

const outcomes = { ok: "ok", failed: "FAILED", skipped: "-" }

const verify = Command.make(
  "verify",
  flags,
  Effect.fnUntraced(function* ({ at, json, tolerance, ...given }) {
    const secret = yield* secretOf(given)
    const received = yield* requestOf(given)
    const now = Option.isSome(at) ? at.value : yield* Clock.currentTimeMillis
    const checks = StandardWebhooks.check({ received, secret, now, tolerance })
    const failed = checks.find(({ outcome }) => outcome === "failed")
    const hints = Hints.of(checks, received, secret)
    if (json) {
      yield* Output.printJson({ ok: failed === undefined, failed: failed?.name ?? null, checks, hints })
    } else {
      const rows = checks.map(({ detail, name, outcome }) => [name, outcomes[outcome], detail])
      yield* Console.log(
        [Output.table(["CHECK", "RESULT", "FOUND"], rows), ...hints.map((hint) => `Hint: ${hint}`)].join("\n")
      )
    }
    if (failed !== undefined) {
      const message = `The request is not verified: ${failed.name}: ${failed.detail}`
      return yield* new CommandError({ message })
    }
  })
).pipe(
  Command.withDescription(
    "Check a saved request as a receiver must, with the signing secret of its account, and report which check fails and " +
      "why. Exits with 1 if a check fails. The secret is read from --secret-file, or from the variable WEBHOOK_SECRET"
  ),
  Command.withShortDescription("Find out why a receiver rejects a request"),
  Command.withExamples([
    { command: "inferlog webhooks verify --request saved.http --secret-file secret.txt" },
    {
      command: "inferlog webhooks verify --request saved.http --at 1767225600",
      description: "Check as of the time of sending, with the secret in WEBHOOK_SECRET"
    },
    {
      command:
        'inferlog webhooks verify --id msg_… --timestamp 1767225600 --signature "v1,…" --body - < body.json'
    }
  ])
)

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription(
    "Webhooks: forward them to an app on this machine, or check a received one. Needs no data directory"
  ),
  Command.withShortDescription("Forward webhooks to this machine, and check them"),
  Command.withSubcommands([listen, verify])
)

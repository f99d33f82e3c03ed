import { Effect, Option, Redacted, Result, Schema } from "effect"
import { Flag } from "effect/cli"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as PlatformFlags from "#src/cli/platform/PlatformFlags.ts"

const isEventName = Schema.is(WebhookEventName)

const parseEvents = (text: string): Option.Option<ReadonlySet<WebhookEventName>> => {
  const events = text.split(",").map((name) => name.trim())
  return events.every(isEventName) ? Option.some(new Set(events)) : Option.none()
}

export const flags = {
  forward: Flag.String("forward").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription("URL where your app receives webhooks, such as http://localhost:3000/hook")
  ),
  events: Flag.String("events").pipe(
    Flag.withMetavar("EVENTS"),
    Flag.withDescription("Events to forward: completed, start, or start,completed"),
    Flag.withDefault("completed"),
    Flag.filterMap(parseEvents, () => "Expected completed, start, or both, separated by a comma")
  ),
  model: Flags.model,
  requests: Flag.String("request").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription(
      "Only this request; repeatable. Its end is forwarded even if it has ended already. The command stops after the last of these requests"
    ),
    Flag.filterMap(...Flags.requestId),
    Flag.atLeast(0)
  ),
  noRetry: Flags.toggle(
    "no-retry",
    "Do not retry. By default, a rejected event is sent again after 1, 5 and 15 s"
  ),
  once: Flags.toggle(
    "once",
    "Stop after the first event, with exit code 0 if your app accepted it, otherwise 1"
  ),
  secret: Flag.Redacted("secret").pipe(
    Flag.withMetavar("whsec_…"),
    Flag.withDescription(
      "Sign with this secret instead of the account's. Other users of this machine can see it while the command runs"
    ),
    Flag.optional
  ),
  ...PlatformFlags.flags,
  json: Output.jsonLines
}

const wrong = (message: string) => new Failure.UsageError({ message })

/** Accepts any host, because it is the developer's own. Does not show the invalid value, because it may contain a password. */
export const targetOf = (text: string): Effect.Effect<string, Failure.UsageError> => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return Effect.fail(wrong("--forward: Expected an http or https URL, such as http://localhost:3000/hook"))
  }
  if (url.username + url.password !== "")
    return Effect.fail(wrong("--forward: Expected a URL without a password"))
  url.hash = ""
  return Effect.succeed(url.href)
}

/** `null` for the account's secret. */
export const givenKey = (secret: Option.Option<Redacted.Redacted>) =>
  Option.isNone(secret)
    ? Effect.succeed(null)
    : Effect.fromResult(
        Result.mapError(StandardWebhooks.secretBytes(Redacted.value(secret.value).trim()), ({ message }) =>
          wrong(`--secret: ${message}`)
        )
      )

/** The flags of `webhooks listen`, and what they lead to. */
import { Effect, Option, Redacted, Result } from "effect"
import { Flag } from "effect/cli"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as StandardWebhooks from "#src/features/webhooks/StandardWebhooks.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as RequestIdText from "#src/cli/requests/RequestIdText.ts"

const names: ReadonlyArray<string> = WebhookEventName.literals

const isEventName = (text: string): text is WebhookEventName => names.includes(text)

const parseEvents = (text: string): Option.Option<ReadonlySet<WebhookEventName>> => {
  const events = text.split(",").map((name) => name.trim())
  return events.every(isEventName) ? Option.some(new Set(events)) : Option.none()
}

export const flags = {
  forward: Flag.String("forward").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription("Where your app takes webhooks, such as http://localhost:3000/hook")
  ),
  events: Flag.String("events").pipe(
    Flag.withMetavar("EVENTS"),
    Flag.withDescription("What is forwarded: completed, start, or start,completed"),
    Flag.withDefault("completed"),
    Flag.filterMap(parseEvents, () => "Expected completed, start, or both with a comma between them")
  ),
  model: Flag.String("model").pipe(
    Flag.withMetavar("OWNER/NAME"),
    Flag.withDescription("Only requests of this model"),
    Flag.filterMap(
      (text) => ModelEndpoint.makeOption(text),
      () => "Expected a model such as sandbox/echo"
    ),
    Flag.optional
  ),
  requests: Flag.String("request").pipe(
    Flag.withMetavar("ID"),
    Flag.withDescription(
      "Only this request; may be given more than once. Its end is forwarded though it is over, and the command ends with the last of them"
    ),
    Flag.filterMap(RequestIdText.parse, RequestIdText.expected),
    Flag.atLeast(0)
  ),
  noRetry: Flag.Boolean("no-retry").pipe(
    Flag.withDescription("Try once. Without it: again 1, 5 and 15 s after your app did not take one"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  once: Flag.Boolean("once").pipe(
    Flag.withDescription(
      "End with the first event: with exit code 0 when your app has taken it, otherwise with 1"
    ),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  secret: Flag.Redacted("secret").pipe(
    Flag.withMetavar("whsec_…"),
    Flag.withDescription(
      "Sign with this secret, instead of the account's. Others on this machine can see it while the command runs"
    ),
    Flag.optional
  ),
  ...Platform.flags,
  json: Output.jsonLines
}

const wrong = (message: string) => new Failure.UsageError({ message })

/** Any host: it is the developer's own machine. What is wrong is not shown: it may hold a password. */
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

/** `null` for the account's own. */
export const givenKey = (secret: Option.Option<Redacted.Redacted>) =>
  Option.isNone(secret)
    ? Effect.succeed(null)
    : Effect.fromResult(
        Result.mapError(StandardWebhooks.secretBytes(Redacted.value(secret.value).trim()), ({ message }) =>
          wrong(`--secret: ${message}`)
        )
      )

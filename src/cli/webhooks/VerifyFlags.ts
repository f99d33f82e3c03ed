import { Config, Effect, Option, Redacted, Result, Schema } from "effect"
import { type Command, Flag } from "effect/cli"
import * as Period from "#src/features/billing/audit/Period.ts"
import { defaultTolerance } from "#src/features/webhooks/StandardWebhooks.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as FileInput from "#src/cli/FileInput.ts"
import * as Output from "#src/cli/Output.ts"
import * as SavedRequest from "./SavedRequest.ts"

const text = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const parseTime = (text: string): Option.Option<number> =>
  Option.fromNullishOr(/^\d{1,11}$/.test(text) ? Number(text) * 1_000 : Period.parseTime(text))

export const flags = {
  request: text("request", "FILE", "The saved request: headers, an empty line, the body. '-' reads stdin"),
  id: text("id", "TEXT", "Instead of --request: the header webhook-id"),
  timestamp: text("timestamp", "SECONDS", "Instead of --request: the header webhook-timestamp"),
  signature: text("signature", "TEXT", "Instead of --request: the header webhook-signature"),
  body: text("body", "FILE", "Instead of --request: the unchanged body. '-' reads stdin"),
  secretFile: text("secret-file", "FILE", "File with the secret (default: the variable WEBHOOK_SECRET)"),
  secret: Flag.Redacted("secret").pipe(
    Flag.withMetavar("whsec_…"),
    Flag.withDescription(
      "The secret. Other users of this machine can see it while the command runs: prefer --secret-file"
    ),
    Flag.optional
  ),
  tolerance: Flag.Int("tolerance").pipe(
    Flag.withMetavar("SECONDS"),
    Flag.withDescription("Largest accepted difference between the timestamp and now"),
    Flag.filter(
      (seconds) => seconds >= 0,
      () => "Expected 0 or more seconds"
    ),
    Flag.withDefault(defaultTolerance)
  ),
  at: Flag.String("at").pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription(
      "Check the timestamp as of this time: Unix seconds, or a time such as 2026-01-31T12:00Z"
    ),
    Flag.filterMap(
      parseTime,
      () => "Expected Unix seconds, or a time such as 2026-01-31T12:00Z; UTC without a zone"
    ),
    Flag.optional
  ),
  json: Output.json
}

type Given = Omit<Command.Command.Config.Infer<typeof flags>, "at" | "json" | "tolerance">

const wrong = (message: string) => new Failure.UsageError({ message })

export const requestOf = Effect.fnUntraced(function* (given: Given) {
  const { body, id, request, signature, timestamp } = given
  const hasParts = [id, timestamp, signature, body].some(Option.isSome)
  if (Option.isSome(request) === hasParts) {
    return yield* wrong("Expected either --request, or --id, --timestamp, --signature and --body")
  }
  if (Option.isSome(request)) {
    const parsed = SavedRequest.parse(yield* FileInput.read("--request", request.value))
    return Result.isSuccess(parsed) ? parsed.success : yield* wrong(`--request: ${parsed.failure}`)
  }
  if (Option.isNone(body)) return yield* wrong("--body: Expected a file, or '-' for stdin")
  return {
    id: Option.getOrNull(id),
    timestamp: Option.getOrNull(timestamp),
    signature: Option.getOrNull(signature),
    body: yield* FileInput.read("--body", body.value),
    contentLength: null
  } satisfies SavedRequest.SavedRequest
})

const fromEnvironment = Config.option(Config.schema(Schema.Redacted(Schema.String), "WEBHOOK_SECRET"))

/** Trimmed, because files end with a newline. */
export const secretOf = Effect.fnUntraced(function* ({ secret, secretFile }: Given) {
  if (Option.isSome(secret) && Option.isSome(secretFile)) {
    return yield* wrong("Expected --secret-file or --secret, not both")
  }
  if (Option.isSome(secretFile)) {
    return Buffer.from(yield* FileInput.read("--secret-file", secretFile.value))
      .toString()
      .trim()
  }
  const found = Option.isSome(secret) ? secret : yield* fromEnvironment
  if (Option.isNone(found)) return yield* wrong("Expected --secret-file, or the variable WEBHOOK_SECRET")
  return Redacted.value(found.value).trim()
})

import { Effect, Option } from "effect"
import { Argument, type Command, Flag } from "effect/cli"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { UsageError } from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as PlatformFlags from "#src/cli/platform/PlatformFlags.ts"
import * as Span from "#src/cli/Span.ts"
import * as InputPart from "./InputPart.ts"

const parsePair = (text: string): Option.Option<readonly [string, string]> => {
  const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  return name === undefined ? Option.none() : Option.some([name, value])
}

export const flags = {
  model: Argument.String("model").pipe(
    Argument.withDescription("The model or wrapper, such as vision/ocr"),
    Argument.filterMap(
      (text) => ModelEndpoint.makeOption(text),
      () => "Expected a model such as sandbox/echo"
    )
  ),
  fields: Argument.String("input").pipe(
    Argument.withDescription(
      "Fields and objects of the input, in order: key=value, key=@file to upload a file, '{\"key\":…}', @file.json, @- for stdin"
    ),
    Argument.filterMap(InputPart.parse, InputPart.expected),
    Argument.atLeast(0)
  ),
  input: Flag.String("input").pipe(
    Flag.withAlias("i"),
    Flag.withMetavar("INPUT"),
    Flag.withDescription("The same as an argument; repeatable, before those"),
    Flag.filterMap(InputPart.parse, InputPart.expected),
    Flag.atLeast(0)
  ),
  out: Flag.Path("out").pipe(
    Flag.withAlias("o"),
    Flag.withMetavar("FOLDER"),
    Flag.withDescription("Download the files of the output into this folder. No file is replaced"),
    Flag.optional
  ),
  timeout: Span.flag("timeout", "Cancel the request if it has not ended after this time, such as 90s"),
  noWait: Flags.toggle("no-wait", "Print the id of the request, and do not wait for its end"),
  events: Flags.toggle(
    "events",
    "Print a line of JSON for each event as it happens; the last one has the request"
  ),
  idempotencyKey: Flag.String("idempotency-key").pipe(
    Flag.withMetavar("TEXT"),
    Flag.withDescription("Runs with the same key and input are one request, for 24 hours"),
    Flag.filter(
      (text) => /^[\x21-\x7e]{1,255}$/.test(text),
      () => "Expected 1 to 255 visible ASCII characters"
    ),
    Flag.optional
  ),
  metadata: Flag.String("metadata").pipe(
    Flag.withMetavar("KEY=VALUE"),
    Flag.withDescription("Kept with the request; repeatable. It is never erased: no personal data"),
    Flag.filterMap(parsePair, () => "Expected key=value"),
    Flag.atLeast(0)
  ),
  webhook: Flag.String("webhook").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription("Address that gets the end of the request"),
    Flag.optional
  ),
  ...PlatformFlags.flags,
  json: Flags.toggle("json", "Print the request with its output, as one line of JSON")
}

export type Given = Command.Command.Config.Infer<typeof flags>

/** Fails for flags that have no effect together. */
export const check = ({ events, noWait, out, timeout }: Given): Effect.Effect<void, UsageError> => {
  const useless = [
    ...(events ? ["--events"] : []),
    ...(Option.isSome(out) ? ["--out"] : []),
    ...(Option.isSome(timeout) ? ["--timeout"] : [])
  ]
  return noWait && useless.length > 0
    ? Effect.fail(new UsageError({ message: `--no-wait: Expected no ${useless.join(" and no ")} with it` }))
    : Effect.void
}

export const jsonOf = ({ events, json }: Given): boolean => events || json

/** An output for people: text as it is, anything else as JSON. */
export const printableOutput = (output: unknown): string =>
  typeof output === "string"
    ? Output.printableText(output)
    : Output.printableLines(JSON.stringify(output, null, 2))

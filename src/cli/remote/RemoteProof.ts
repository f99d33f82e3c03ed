/** Commands that read the whole log, run by the server elsewhere that has it. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Option, Predicate, Schema, Stream } from "effect"
import type { Target } from "#src/edges/admin/AdminAnswers.ts"
import * as LogClient from "#src/edges/admin/log/LogClient.ts"
import { CommandError, UsageError } from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as ProgressLine from "#src/cli/ProgressLine.ts"
import * as Stdout from "#src/cli/Stdout.ts"
import * as Remote from "./Remote.ts"

const Line = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ type: Schema.Literal("running"), elapsedMs: Schema.Int }),
    Schema.Struct({ type: Schema.Literal("line"), line: Schema.Unknown }),
    Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
    Schema.Struct({
      type: Schema.Literal("result"),
      ok: Schema.Boolean,
      code: Schema.NullOr(Schema.Int),
      report: Schema.Unknown,
      message: Schema.String
    })
  ])
)
type Result = Extract<typeof Line.Type, { readonly type: "result" }>

const decode = Schema.decodeUnknownEffect(Line)

const failed = (message: string) => new CommandError({ message })

/** What the program on the server wrote to stderr. Its last line says what failed, and exits with the same code. */
const ended = Effect.fnUntraced(function* ({ code, message, ok }: Result) {
  const lines = message === "" ? [] : message.split("\n").map(Output.printable)
  const last = ok ? undefined : lines.pop()
  if (lines.length > 0) yield* Console.error(lines.join("\n"))
  if (ok) return
  const reason = (last ?? "The server ended the command").replace(/^inferlog: /, "")
  return yield* code === 2 ? new UsageError({ message: reason }) : failed(reason)
})

const run = Effect.fnUntraced(function* (target: Target, call: LogClient.Call) {
  const progress = yield* ProgressLine.reporter(Infinity)
  let result: Result | undefined

  const texts = LogClient.lines(target, call).pipe(
    Stream.mapEffect((line) =>
      Effect.mapError(decode(line), () => failed(`${target.name}: its answer is not as expected`))
    ),
    Stream.mapEffect((part) => {
      switch (part.type) {
        case "running":
          return Effect.as(
            progress.update(() => `${target.name} is at work for ${Output.duration(part.elapsedMs)}`),
            ""
          )
        case "line":
          return Effect.succeed(`${Output.jsonText(part.line)}\n`)
        case "text":
          return Effect.succeed(part.text)
        case "result": {
          result = part
          const { report } = part
          if (report === null || report === "") return Effect.succeed("")
          return Effect.succeed(Predicate.isString(report) ? report : `${Output.jsonText(report)}\n`)
        }
      }
    }),
    Stream.filter((text) => text !== "")
  )
  yield* Stdout.write(texts).pipe(Effect.ensuring(progress.clear))
  if (result === undefined) return yield* failed(`${target.name} did not finish the command`)
  yield* ended(result)
}, Effect.provide(NodeHttpClient.layerUndici))

/** Runs `call` on the server that flags, variables or a profile name, or else `here`. */
export const orElsewhere = <E, R>(call: LogClient.Call, here: Effect.Effect<void, E, R>) =>
  Effect.flatMap(
    Remote.target,
    Option.match({
      onNone: (): Effect.Effect<
        void,
        E | Effect.Error<ReturnType<typeof run>>,
        R | Effect.Services<ReturnType<typeof run>>
      > => here,
      onSome: (target) => run(target, call)
    })
  )

/** The parameter that asks for the form of the output. */
export const formatOf = (json: boolean): string => (json ? "json" : "text")

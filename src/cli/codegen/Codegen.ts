/** `inferlog codegen`: types and functions for the models of a running server. */
import { Console, Effect, FileSystem, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as PlatformFlags from "#src/cli/platform/PlatformFlags.ts"
import type { Source } from "#src/edges/codegen/ModelTypes.ts"
import * as PythonModels from "#src/edges/codegen/PythonModels.ts"
import * as TypeScriptModels from "#src/edges/codegen/TypeScriptModels.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as RemoteCatalog from "./RemoteCatalog.ts"

const texts = { ts: TypeScriptModels.text, py: PythonModels.text } satisfies Record<
  string,
  (source: Source) => string
>

const flags = {
  lang: Flag.Literals("lang", ["ts", "py"]).pipe(Flag.withDescription("TypeScript or Python")),
  models: Flag.String("model").pipe(
    Flag.withMetavar("OWNER/NAME"),
    Flag.withDescription("Only this model or wrapper; repeat it for several (default: all)"),
    Flag.filterMap(
      (text) => ModelEndpoint.makeOption(text),
      () => "Expected a model such as sandbox/echo"
    ),
    Flag.atLeast(0)
  ),
  out: Flag.String("out").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Where to write; - is stdout"),
    Flag.withDefault("-")
  ),
  check: Flags.toggle("check", "Write nothing, and exit with 1 if the file is not as it would be written"),
  url: PlatformFlags.flags.url
}

/** Null when there is no such file. */
const contentOf = (file: string) =>
  FileSystem.FileSystem.use((fileSystem) =>
    Effect.catchIf(
      fileSystem.readFileString(file),
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeed(null)
    )
  )

const noFile = new Failure.UsageError({ message: "--check: Expected a file, with --out" })

export const codegen = Command.make(
  "codegen",
  flags,
  Effect.fnUntraced(function* ({ check, lang, models: names, out }) {
    if (check && out === "-") return yield* noFile
    const { url } = yield* Platform.Platform
    const models = yield* RemoteCatalog.read(names)
    const text = texts[lang]({ url, version, models })
    if (out === "-") {
      const { stdout } = yield* Stdio.Stdio
      return yield* Stream.run(Stream.make(text), stdout())
    }
    const isCurrent = (yield* contentOf(out)) === text
    const file = Output.printable(out)
    if (isCurrent) return yield* Console.error(`${file} is up to date.`)
    if (check) {
      const again = "run the command without --check"
      return yield* new Failure.CommandError({ message: `${file} is not up to date: ${again}` })
    }
    yield* FileSystem.FileSystem.use((fileSystem) => fileSystem.writeFileString(out, text))
    yield* Console.error(`Wrote ${Output.counted(models.length, "model")} to ${file}.`)
  })
).pipe(
  Command.provide((given) => Platform.layerPublic(given)),
  Command.withDescription(
    "Write types and functions for the models of a running server, from its public catalog. " +
      "The same catalog always gives the same text, so that the file can be committed and checked"
  ),
  Command.withShortDescription("Write types and functions for the models of a server"),
  Command.withExamples([
    { command: "inferlog codegen --lang ts --out src/models.ts" },
    { command: "inferlog codegen --lang py --model vision/ocr --out models.py" },
    { command: "inferlog codegen --lang ts --out src/models.ts --check" }
  ])
)

import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Output from "#src/cli/Output.ts"
import * as FileRef from "./FileRef.ts"
import * as Listing from "./Listing.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as Wire from "./Wire.ts"

export const show = Command.make(
  "show",
  {
    fileId: Argument.String("id").pipe(
      Argument.withDescription("The file's id or URL"),
      Argument.filterMap(FileRef.parseId, FileRef.expected)
    ),
    ...Platform.flags,
    json: Output.json
  },
  Effect.fnUntraced(function* ({ fileId, json }) {
    const file = yield* Wire.file(fileId)
    yield* json ? Output.printJson(file) : Console.log(Listing.facts(file))
  })
).pipe(
  Command.provide((given) => Platform.layer(given)),
  Command.withDescription("Show one file: its name, type, size, checksum and expiry"),
  Command.withShortDescription("Show one file"),
  Command.withExamples([{ command: "inferlog files show 3q2-7wEvcl8qJ4T0a1B2c3D4" }])
)

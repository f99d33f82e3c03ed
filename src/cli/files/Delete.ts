import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Output from "#src/cli/Output.ts"
import * as FileRef from "./FileRef.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as Wire from "./Wire.ts"

export const remove = Command.make(
  "delete",
  {
    fileId: Argument.String("id").pipe(
      Argument.withDescription("The file's id or URL"),
      Argument.filterMap(FileRef.parseId, FileRef.expected)
    ),
    ...Platform.flags,
    json: Output.json
  },
  Effect.fnUntraced(function* ({ fileId, json }) {
    yield* Wire.remove(fileId)
    yield* json ? Output.printJson({ fileId, deleted: true }) : Console.log(`Deleted ${fileId}.`)
  })
).pipe(
  Command.provide((given) => Platform.layer(given)),
  Command.withDescription("Delete a file permanently. Its URL answers 410 at once"),
  Command.withShortDescription("Delete a file"),
  Command.withExamples([{ command: "inferlog files delete 3q2-7wEvcl8qJ4T0a1B2c3D4" }])
)
